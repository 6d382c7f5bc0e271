/** A coupon that Stripe reports is merged with a manually created one, and does not overwrite manually edited members. */
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { deliver, makeAccount, readRecords } from '@/testing/ingest'
import { openTestDatabase } from '@/testing/seller'
import { makeEvent, NOON } from '@/testing/stripe'
import { makeStripeCoupon } from '@/testing/stripe-billing'
import { createCoupon, lockCoupon, type NewCoupon, updateCoupon } from '../edit/coupons'

beforeAll(openTestDatabase)

const COUPON: NewCoupon = { label: 'Ours', code: 'Summer', duration: 'once', percentOff: 15 }

const create = (seller: string, coupon = COUPON) =>
  database().transaction((connection) => createCoupon(connection, seller, undefined, coupon))

const update = (seller: string, id: string, patch: Parameters<typeof updateCoupon>[4]) =>
  database().transaction(async (connection) =>
    updateCoupon(connection, seller, undefined, String(await lockCoupon(connection, seller, id)), patch),
  )

describe('a coupon that Stripe reports', () => {
  it('is merged with a manually created coupon with the same code, and changes only members that were not set manually', async () => {
    const seller = await makeAccount()
    const created = JSON.parse(await create(seller))
    const theirs = makeStripeCoupon({
      name: 'Theirs',
      amount_off: 500,
      currency: 'eur',
      percent_off: null,
      duration: 'forever',
      times_redeemed: 3,
      max_redemptions: 9,
    })
    await deliver(seller, makeEvent('coupon.created', theirs))
    const expected = { ...created, gatewayCouponId: 'SUMMER', timesRedeemed: 3, maxRedemptions: 9, updatedAt: expect.any(String) }
    expect(await readRecords(seller, 'coupons')).toEqual([expected])
    // Later events find the coupon by its Stripe ID, regardless of its code.
    await update(seller, created.id, { maxRedemptions: 20 })
    await deliver(seller, makeEvent('coupon.updated', { ...theirs, times_redeemed: 4, max_redemptions: 10 }, NOON + 60))
    expect(await readRecords(seller, 'coupons')).toEqual([{ ...expected, timesRedeemed: 4, maxRedemptions: 20 }])
  })

  it('keeps the members that were edited manually, and changes the others', async () => {
    const seller = await makeAccount()
    await deliver(seller, makeEvent('coupon.created', makeStripeCoupon({ name: 'Theirs' })))
    const [before] = await readRecords(seller, 'coupons')
    await update(seller, String(before?.id), { label: 'Ours' })
    await deliver(seller, makeEvent('coupon.updated', makeStripeCoupon({ name: 'Changed', percent_off: 30 }), NOON + 60))
    expect(await readRecords(seller, 'coupons')).toMatchObject([{ id: before?.id, label: 'Ours', percentOff: 30 }])
  })

  it('stays a separate coupon if the coupon with its code is deleted or belongs to another seller', async () => {
    const [seller, other] = [await makeAccount(), await makeAccount()]
    await create(other)
    const created = JSON.parse(await create(seller))
    await update(seller, created.id, { deleted: true })
    await deliver(seller, makeEvent('coupon.created', makeStripeCoupon()))
    expect(await readRecords(seller, 'coupons')).toHaveLength(2)
    expect(await readRecords(other, 'coupons')).toMatchObject([{ code: 'Summer', percentOff: 15 }])
  })

  it('is merged with the new coupon if a merged coupon was deleted and created again', async () => {
    const seller = await makeAccount()
    const first = JSON.parse(await create(seller))
    await deliver(seller, makeEvent('coupon.created', makeStripeCoupon()))
    await update(seller, first.id, { deleted: true })
    const second = JSON.parse(await create(seller, { ...COUPON, percentOff: 20 }))
    await deliver(seller, makeEvent('coupon.deleted', makeStripeCoupon(), NOON + 60))
    expect(await readRecords(seller, 'coupons')).toContainEqual(second)
    await deliver(seller, makeEvent('coupon.created', makeStripeCoupon(), NOON + 120))
    await deliver(seller, makeEvent('coupon.updated', makeStripeCoupon({ times_redeemed: 3 }), NOON + 180))
    const records = await readRecords(seller, 'coupons')
    expect(records).toHaveLength(2)
    expect(records).toContainEqual({ ...second, gatewayCouponId: 'SUMMER', timesRedeemed: 3, updatedAt: expect.any(String) })
    expect(records).toContainEqual(expect.objectContaining({ id: first.id, deleted: true }))
  })

  it('is merged with a coupon that was created while it was deleted, and is not restored itself', async () => {
    const seller = await makeAccount()
    await deliver(seller, makeEvent('coupon.created', makeStripeCoupon()))
    await deliver(seller, makeEvent('coupon.deleted', makeStripeCoupon(), NOON + 60))
    const [theirs] = await readRecords(seller, 'coupons')
    const ours = JSON.parse(await create(seller))
    await deliver(seller, makeEvent('coupon.created', makeStripeCoupon({ times_redeemed: 3 }), NOON + 120))
    const records = await readRecords(seller, 'coupons')
    expect(records).toHaveLength(2)
    expect(records).toContainEqual({ ...ours, gatewayCouponId: 'SUMMER', timesRedeemed: 3, updatedAt: expect.any(String) })
    expect(records).toContainEqual(expect.objectContaining({ id: theirs?.id, deleted: true }))
  })

  it('is merged with a coupon that is created concurrently, or makes its creation fail, and only one of them exists afterward', async () => {
    const seller = await makeAccount()
    const [creation] = await Promise.allSettled([create(seller), deliver(seller, makeEvent('coupon.created', makeStripeCoupon()))])
    if (creation.status === 'rejected') expect(creation.reason).toMatchObject({ code: 'code_taken' })
    expect(await readRecords(seller, 'coupons')).toHaveLength(1)
  })
})
