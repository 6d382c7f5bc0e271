/** Scans of one ticket go one at a time; those of another do not wait for them. */
import { expect, it } from 'vitest'
import { createSemaphore } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'
import { inTurn } from './keyed-mutex'

/** Work that ends when it is told to. */
function held(): { work: () => Promise<string>; end: () => void } {
  let end = () => {}
  const ended = new Promise<string>((resolve) => {
    end = () => resolve('done')
  })
  return { work: () => ended, end }
}

it('one ticket’s scans wait for each other, another’s do not, and who waits too long is told so', async () => {
  const first = held()
  const running = inTurn('seller', 'a', first.work)
  let begun = false
  const second = inTurn('seller', 'a', async () => {
    begun = true
  })
  expect(await inTurn('seller', 'b', async () => 'b')).toBe('b')
  expect(await inTurn('other', 'a', async () => 'other')).toBe('other')
  expect(begun).toBe(false)
  await expect(second).rejects.toThrow(UnavailableError)
  first.end()
  expect(await running).toBe('done')
  expect(await inTurn('seller', 'a', async () => 'again')).toBe('again')
})

it('a turn is given back by work that fails', async () => {
  const fails = inTurn('seller', 'a', () => Promise.reject(new Error('no')))
  await expect(fails).rejects.toThrow('no')
  expect(await inTurn('seller', 'a', async () => 'next')).toBe('next')
})

it('a queue that is full is refused at once', async () => {
  const semaphore = createSemaphore({ name: 'a place', limit: 1, waitMs: 60_000, queue: 1 })
  const release = await semaphore.acquire()
  const waiting = semaphore.acquire()
  expect(semaphore.load()).toEqual({ active: 1, waiting: 1, refused: 0 })
  await expect(semaphore.acquire()).rejects.toThrow(UnavailableError)
  release()
  ;(await waiting)()
  expect(semaphore.load()).toEqual({ active: 0, waiting: 0, refused: 1 })
})
