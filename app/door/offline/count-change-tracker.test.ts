/** The count changes of unsent scans are read again after the browser has lost the connection to its database. */
import { expect, it } from 'vitest'
import { createCountChangeTracker } from './count-change-tracker'

const CHANGE = { pageId: null, inside: 1, attended: 1 } as const

/** Creates a tracker whose store fails while `isBroken`. */
function setUp() {
  const store = { isBroken: true, stored: new Map([['a', CHANGE]]) }
  const tracker = createCountChangeTracker({
    countChanges: async () => {
      if (store.isBroken) throw new DOMException('connection lost', 'UnknownError')
      return new Map(store.stored)
    },
  })
  return { store, tracker }
}

it('reads the changes again after a failed read, even if a scan was stored in the meantime', async () => {
  const { store, tracker } = setUp()
  const reading = tracker.read()
  tracker.add('b', CHANGE)
  await expect(reading).rejects.toThrow('connection lost')
  store.isBroken = false
  expect([...(await tracker.read()).keys()]).toEqual(['a'])
  tracker.add('b', CHANGE)
  expect([...(await tracker.read()).keys()]).toEqual(['a', 'b'])
})

it('tracks the next attempt to send scans after a failed read', async () => {
  const { store, tracker } = setUp()
  await expect(tracker.begin()).rejects.toThrow('connection lost')
  store.isBroken = false
  await tracker.begin()
  expect(tracker.isSending()).toBe(true)
  store.stored.clear()
  await tracker.finish()
  expect([tracker.isSending(), tracker.delivered()]).toEqual([false, [CHANGE]])
})

it('counts sent scans as delivered even if two reads fail in the meantime', async () => {
  const { store, tracker } = setUp()
  store.isBroken = false
  await tracker.begin()
  store.stored.clear()
  store.isBroken = true
  await expect(tracker.finish()).rejects.toThrow('connection lost')
  await expect(tracker.begin()).rejects.toThrow('connection lost')
  store.isBroken = false
  await tracker.begin()
  await tracker.finish()
  expect([tracker.isSending(), tracker.delivered()]).toEqual([false, [CHANGE]])
})
