/** Tests that `desk events` reports IDs without an event. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { makeAccount, rows } from '@/testing/ingest'
import { withOwnDatabase } from '@/testing/own-database'
import { runDesk } from '@/testing/programs'
import { makeEvent, NOON } from '@/testing/stripe'
import { makeStripeCoupon } from '@/testing/stripe-billing'

const testDatabase = withOwnDatabase()

/** Runs `desk events`. @returns the exit code, the IDs of the events in its output, and its messages */
async function run(...args: string[]) {
  const { code, stdout, stderr } = await runDesk(['events', ...args], { DATABASE_URL: testDatabase.url })
  const { data } = JSON.parse(stdout || '{"data":[]}') as { data: { id: string }[] }
  return { code, ids: data.map(({ id }) => id), stderr }
}

it('names the events that do not exist or have not failed, and exits with code 2', async () => {
  const seller = await makeAccount()
  const { id, type, created, ...rest } = makeEvent('coupon.created', makeStripeCoupon(), NOON)
  await rows(sql`
    insert into stripe_events (seller_id, id, type, created, links, payload, state)
    values (${seller}, ${id}, ${type}, ${created}, array[]::text[], ${JSON.stringify({ id, type, created, ...rest })}::text::json, 'failed')`)
  expect(await run('show', 'evt_x', id, 'evt_y', 'evt_x')).toEqual({ code: 2, ids: [id], stderr: 'No such event: evt_x, evt_y.\n' })
  expect(await run('show', id)).toEqual({ code: 0, ids: [id], stderr: '' })
  const stderr = 'Not retried, because these are not failed events: evt_x.\n'
  expect(await run('retry', id, 'evt_x')).toEqual({ code: 2, ids: [id], stderr })
})
