/** Failed events are kept and can be retried, a crash loses no events, and processed events expire. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { deliver, LIFECYCLES, makeAccount, readRecords, rows } from '@/testing/ingest'
import { openTestDatabase } from '@/testing/seller'
import { makeEvent, makeIntent, NOON } from '@/testing/stripe'
import { makeStripeCoupon } from '@/testing/stripe-billing'
import { writeMetrics } from '../../core/metrics'
import { listAudit } from '../../listing/list-audit'
import { countEvents, listEvents, purgeEvents, showEvents } from './events'
import { processAllEvents } from './process-events'
import { retryEvents } from './retry-events'

beforeAll(openTestDatabase)

describe('an event that cannot be processed', () => {
  const NEW_STATUS = makeEvent('payment_intent.processing', { ...makeIntent(), status: 'in_a_new_way' }, NOON + 1)
  const TOO_LATE = { ...makeStripeCoupon(), redeem_by: 1e15 }

  it('is kept with the reason, does not block other events, and can be retried', async () => {
    const seller = await makeAccount()
    const bad = [
      NEW_STATUS,
      makeEvent('coupon.created', TOO_LATE),
      makeEvent('payment_intent.created', { ...makeIntent({ id: 'pi_2' }), currency: 'e\u0000r' }),
    ]
    await deliver(seller, ...bad, ...(LIFECYCLES.payment ?? []))
    expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'refunded' }])
    const failed = await listEvents({ seller, state: 'failed' })
    expect(new Map(failed.map(({ id, error }) => [id, error]))).toEqual(
      new Map([
        [bad[0]?.id, expect.stringMatching(/^data\.object\.status must be one of requires_payment_method, /)],
        [bad[1]?.id, expect.stringMatching(/^data\.object\.redeem_by /)],
        [bad[2]?.id, 'payments: currency must not contain the character NUL'],
      ]),
    )
    expect(await countEvents(seller)).toMatchObject({ waiting: 0, failed: 3 })

    // Repair the event, as if a later version could process it.
    await rows(
      sql`update stripe_events set payload = replace(payload::text, 'in_a_new_way', 'processing')::json where id = ${NEW_STATUS.id}`,
    )
    const owner = { userId: 'u', email: 'ada@example.com' }
    const retried = await retryEvents({ seller, ids: [NEW_STATUS.id] }, owner)
    expect(retried).toMatchObject([{ id: NEW_STATUS.id, state: 'done', error: null, attempts: 2 }])
    // The retried event is older than the latest ones, so the record does not change.
    expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'refunded' }])
    const [entry] = (await listAudit(seller)).entries
    expect(entry).toMatchObject({
      action: 'stripe.events_retried',
      email: 'ada@example.com',
      changes: { events: { after: [NEW_STATUS.id] } },
    })

    // The other events fail again, because they are unchanged. Another seller's events are not retried.
    const failedAgain = await retryEvents({ seller }, owner)
    expect(failedAgain.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['failed', 2],
      ['failed', 2],
    ])
    expect(await retryEvents({ seller: await makeAccount() }, owner)).toEqual([])
  })

  it('is listed by its ID, even if the filter contains more IDs than a statement can have parameters', async () => {
    const seller = await makeAccount()
    await deliver(seller, NEW_STATUS)
    const ids = Array.from({ length: 70_000 }, (_, index) => `evt_${index}`)
    expect(await listEvents({ seller, ids: [...ids, NEW_STATUS.id] })).toMatchObject([{ id: NEW_STATUS.id }])
  })

  it('is shown without the client secret', async () => {
    const seller = await makeAccount()
    await deliver(seller, NEW_STATUS)
    const [shown] = await showEvents({ seller, ids: [NEW_STATUS.id] })
    expect(shown).toMatchObject({ state: 'failed', payload: { data: { object: { id: 'pi_1', status: 'in_a_new_way' } } } })
    expect(JSON.stringify(shown)).not.toContain('CANARY')
  })

  it('is kept with the SQLSTATE if PostgreSQL rejects the record, and can be retried', async () => {
    const seller = await makeAccount()
    const name = `no_coupon_${seller}`
    await rows(sql.raw(`alter table coupons add constraint ${name} check (seller_id <> '${seller}') not valid`))
    try {
      await deliver(seller, makeEvent('coupon.created', makeStripeCoupon()))
      expect(await listEvents({ seller })).toMatchObject([{ state: 'failed', error: 'PostgreSQL error 23514' }])
    } finally {
      await rows(sql.raw(`alter table coupons drop constraint ${name}`))
    }
    await retryEvents({ seller }, undefined)
    expect(await readRecords(seller, 'coupons')).toMatchObject([{ code: 'SUMMER' }])
  })

  it('is counted as failed in the metrics each time it fails, unlike an event that succeeds', async () => {
    const seller = await makeAccount()
    const count = async (result: string) => {
      const { text = '' } = (await writeMetrics()) ?? {}
      return Number(new RegExp(`^desk_stripe_events_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
    }
    const before = { failed: await count('failed'), succeeded: await count('succeeded') }
    await deliver(seller, NEW_STATUS, makeEvent('coupon.created', makeStripeCoupon()))
    await retryEvents({ seller }, undefined)
    expect(await count('failed')).toBe(before.failed + 2)
    expect(await count('succeeded')).toBe(before.succeeded + 1)
  })
})

describe('a stored event', () => {
  it('is processed after a crash, by one process at a time', async () => {
    const seller = await makeAccount()
    const events = Object.values(LIFECYCLES).flat()
    // Stores each event in the state that it is left in if the process is killed right after responding.
    for (const { id, type, created, ...rest } of new Map(events.map((event) => [event.id, event])).values()) {
      const payload = JSON.stringify({ id, type, created, ...rest })
      await rows(sql`
        insert into stripe_events (seller_id, id, type, created, links, payload)
        values (${seller}, ${id}, ${type}, ${created}, array[]::text[], ${payload}::text::json)`)
    }
    const { waiting } = await countEvents(seller)
    vi.resetModules()
    const another = await import('./process-events')
    expect(another.processAllEvents).not.toBe(processAllEvents)
    await Promise.all([processAllEvents(), another.processAllEvents()])
    expect(await countEvents(seller)).toMatchObject({ waiting: 0, failed: 0 })
    expect((await listEvents({ seller })).map(({ attempts }) => attempts)).toEqual(Array.from({ length: waiting }, () => 1))
    expect(await readRecords(seller, 'payments')).toMatchObject([{ status: 'refunded', invoiceId: 'in_1' }])
  })

  it('is processed only for its own seller', async () => {
    const [seller, other] = [await makeAccount(), await makeAccount()]
    const { id, type, created, ...rest } = makeEvent('coupon.created', makeStripeCoupon({ id: 'THEIRS' }), NOON - 1)
    await rows(sql`
      insert into stripe_events (seller_id, id, type, created, links, payload)
      values (${other}, ${id}, ${type}, ${created}, array[]::text[], ${JSON.stringify({ id, type, created, ...rest })}::text::json)`)
    await deliver(seller, makeEvent('coupon.created', makeStripeCoupon()))
    expect(await readRecords(seller, 'coupons')).toMatchObject([{ code: 'SUMMER' }])
    expect(await countEvents(other)).toMatchObject({ waiting: 1 })
    await processAllEvents()
    expect(await readRecords(other, 'coupons')).toMatchObject([{ code: 'THEIRS' }])
  })

  it('is deleted 90 days after it happened, once it is processed', async () => {
    const seller = await makeAccount()
    const old = { ...makeStripeCoupon(), created: NOON - 100 * 86_400 }
    await deliver(
      seller,
      makeEvent('coupon.created', old, old.created),
      makeEvent('coupon.created', { ...old, id: 'B', duration: '?' }, old.created),
      makeEvent('coupon.created', makeStripeCoupon({ id: 'C' }), Math.floor(Date.now() / 1000)),
    )
    await purgeEvents()
    expect((await listEvents({ seller })).map(({ state }) => state)).toEqual(['done', 'failed'])
    expect(await readRecords(seller, 'coupons')).toHaveLength(2)
  })
})
