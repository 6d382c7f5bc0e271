/** Tests that the message about an invalid link uses the dashboard's terms instead of the API's parameters. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ApiError } from '@/lib/core/errors'
import { listCopy } from './copy/list'
import { getLinkHint, loadList } from './load-list'

const { created, period, cursor, other } = listCopy.badLinkHints

test.each([
  ['created[gte]', created],
  ['period', period],
  ['starting_after', cursor],
  ['ending_before', cursor],
  ['status', other],
  [undefined, other],
])('explains an invalid %s', (param, hint) => {
  expect(getLinkHint(new ApiError('parameter_invalid', 'Send another.', param))).toBe(hint)
})

test('does not show the API’s message for an unknown parameter in a link', async () => {
  const list = async () => []
  expect(await loadList(new URLSearchParams({ nonsense: '1' }), z.strictObject({}), list)).toEqual({ error: other })
})
