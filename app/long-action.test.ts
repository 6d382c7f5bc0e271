/** Tests that a server action that waits too long for other long writes shows a message instead of replacing the page. */
import { expect, it } from 'vitest'
import { ApiError } from '@/lib/core/errors'
import { ActionError } from './action-error'
import { errorCopy } from './copy/errors'
import { runLongAction } from './long-action'

it('throws an `ActionError` while another long write of the seller is running, and then runs', async () => {
  let finish: (result: string) => void = () => {}
  const first = runLongAction('a', () => new Promise<string>((resolve) => (finish = resolve)))
  await expect(runLongAction('a', async () => 'too early')).rejects.toEqual(new ActionError(errorCopy.busy))
  finish('done')
  expect(await first).toBe('done')
  expect(await runLongAction('a', async () => 'again')).toBe('again')
})

it('does not change the errors of the work itself', async () => {
  for (const error of [new TypeError('wrong'), new ApiError('unavailable', 'The database is unavailable.')])
    await expect(runLongAction('a', () => Promise.reject(error))).rejects.toBe(error)
})
