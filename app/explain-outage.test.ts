/** Tests that a server action that cannot write during an erasure shows a message instead of replacing the page. */
import { expect, it } from 'vitest'
import { createErasureError } from '@/lib/accounts/erasure-lock'
import { ApiError } from '@/lib/core/errors'
import { ActionError } from './action-error'
import { errorCopy } from './copy/errors'
import { runUnlessErasing } from './explain-outage'

it('throws an `ActionError` during an erasure, and does not change other errors', async () => {
  expect(await runUnlessErasing(async () => 'saved')).toBe('saved')
  await expect(runUnlessErasing(() => Promise.reject(createErasureError()))).rejects.toEqual(new ActionError(errorCopy.erasing))
  for (const error of [new TypeError('wrong'), new ApiError('unavailable', 'The database is unavailable.')])
    await expect(runUnlessErasing(() => Promise.reject(error))).rejects.toBe(error)
})
