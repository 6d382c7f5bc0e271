/** The audit log names the API key of a change only if it is the seller's own. */
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { writeAudit } from '../accounts/audit'
import { listAudit } from './list-audit'

beforeAll(openTestDatabase)

it('contains the names of the seller’s own keys only', async () => {
  const [sellerId, other] = [await makeSeller(), await makeSeller()]
  const keys = [await makeKey(sellerId), await makeKey(other)]
  for (const { id } of keys)
    await database().transaction((connection) =>
      writeAudit(connection, { sellerId, by: { keyId: id }, action: 'coupon.created', subject: id }),
    )
  const { rows: entries } = await listAudit(sellerId)
  expect(keys.map(({ id }) => entries.find(({ subject }) => subject === id)?.key)).toEqual([expect.any(String), null])
})
