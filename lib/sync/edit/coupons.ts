/** Creates and changes coupons, for the API and the dashboard. */
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { pages } from '@/db/schema'
import { type Editor, writeAudit } from '../../accounts/audit'
import type { createCouponBody, updateCouponBody } from '../../catalog/coupon-operations'
import { coupons } from '../../catalog/coupons'
import { ApiError } from '../../core/errors'
import { newObjectId } from '../../core/object-id'
import { textArray } from '../../core/sql'
import { recordWriter } from '../writers/record-writer'
import { changeLocked, editedWith, lockRecord, patchRecord, setChangeTime } from './edit-record'

export type NewCoupon = z.output<typeof createCouponBody>
export type CouponPatch = z.output<typeof updateCouponBody>
type Coupon = z.output<typeof coupons.record>

const { table } = coupons

/**
 * Returns the condition for a seller's coupons with a code, in any letter case. It compares digests, which are indexed, because imported
 * codes can be of any length.
 */
export const hasCode = (sellerId: string, code: string) =>
  sql`${table.sellerId} = ${sellerId} and md5(desk_fold(${table.record} ->> 'code')) = md5(desk_fold(${code}))`

/**
 * Locks coupon codes, in any letter case, until the transaction ends, so that neither another edit nor a Stripe event can create a coupon
 * with one of them. Take this lock before the lock on a coupon's row: the opposite order could cause a deadlock. The codes are locked in
 * the order of their keys, so that two callers cannot deadlock either.
 */
export const lockCodes = ({ rows }: Connection, sellerId: string, codes: string[]) =>
  rows(sql`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended(${sellerId} || ' coupon ' || desk_fold(code), 0) as key from unnest(${textArray(codes)}) as code
      order by key offset 0) as locked`)

/** Checks that a code is free. @throws {ApiError} `code_taken` if a coupon that is not deleted has the code */
async function requireFreeCode({ rows }: Connection, sellerId: string, code: string): Promise<void> {
  const found = await rows(sql`select 1 from ${table} where ${hasCode(sellerId, code)} and ${table.record} ->> 'deleted' = 'false' limit 1`)
  if (found.length > 0)
    throw new ApiError(
      'code_taken',
      `Another coupon already has the code ${code}. Use a different code, or delete that coupon with PATCH and {"deleted": true}.`,
      'code',
    )
}

/**
 * Checks that checkout pages exist. Accepts the IDs that the coupon already has, because imported coupons can have unknown ones.
 *
 * @param current the coupon's `pageIds`
 * @throws {ApiError} `body_invalid` if the seller has no checkout page with one of the other IDs
 */
async function requirePages(
  { rows }: Connection,
  sellerId: string,
  pageIds: readonly string[] | null | undefined,
  current: readonly string[] = [],
): Promise<void> {
  if (!pageIds) return
  const found = await rows<{ id: string }>(
    sql`select ${pages.id} as id from ${pages} where ${pages.sellerId} = ${sellerId} and ${pages.id} = any(${textArray(pageIds)})`,
  )
  const existing = new Set([...found.map(({ id }) => id), ...current])
  const index = pageIds.findIndex((pageId) => !existing.has(pageId))
  if (index === -1) return
  const message = `pageIds[${index}] is not the ID of one of your products or events. List them to find the ID.`
  throw new ApiError('body_invalid', message, `pageIds[${index}]`)
}

/** Checks that a coupon's `redeemBy` is absent or in the future. @throws {ApiError} `body_invalid` */
function requireFuture(redeemBy: string | null | undefined): void {
  if (redeemBy && Date.parse(redeemBy) <= Date.now()) throw new ApiError('body_invalid', 'redeemBy must be in the future.', 'redeemBy')
}

/**
 * Creates a coupon.
 *
 * @returns the coupon's JSON
 * @throws {ApiError} `body_invalid` if `redeemBy` is not in the future or a checkout page is unknown, or `code_taken`
 */
export async function createCoupon(connection: Connection, sellerId: string, by: Editor, coupon: NewCoupon): Promise<string> {
  requireFuture(coupon.redeemBy)
  await requirePages(connection, sellerId, coupon.pageIds)
  await lockCodes(connection, sellerId, [coupon.code])
  await requireFreeCode(connection, sellerId, coupon.code)
  await keepDeleted(connection, sellerId, coupon.code)
  const createdAt = await setChangeTime(connection)
  const line = { ...coupon, id: newObjectId(), sellerId, createdAt, updatedAt: createdAt }
  const row = recordWriter(coupons).toRow(coupons.record.parse(line))
  await recordWriter(coupons).write(connection, sellerId, [row])
  await markEdited(connection, sellerId, row.id, [...DISCOUNT, ...Object.keys(coupon)])
  await writeAudit(connection, { sellerId, by, action: 'coupon.created', subject: coupon.code, recordId: row.id })
  return row.record
}

/** The members of the discount. All are marked when a coupon is created, so that Stripe's events cannot add an amount to a percentage. */
const DISCOUNT = ['percentOff', 'amountOff', 'currency', 'duration', 'durationInMonths']

/** Marks members as edited manually, so that Stripe's events do not change them. */
async function markEdited({ rows }: Connection, sellerId: string, id: string, members: string[]): Promise<void> {
  await rows(sql`
    update ${table} set edited = ${editedWith(members)}
    where ${table.sellerId} = ${sellerId} and ${table.id} = ${id}`)
}

/** Keeps Stripe's events from restoring deleted coupons with a code, because a new coupon is about to use it. */
async function keepDeleted({ rows }: Connection, sellerId: string, code: string): Promise<void> {
  await rows(sql`
    update ${table} set edited = ${editedWith(['deleted'])}
    where ${hasCode(sellerId, code)} and ${table.record} ->> 'deleted' = 'true'`)
}

const lockRow = lockRecord(coupons)

/** Locks a coupon and its code. Returns its JSON, or undefined if the seller has no such coupon. */
export async function lockCoupon(connection: Connection, sellerId: string, id: string): Promise<string | undefined> {
  const [found] = await connection.rows<{ code: string }>(
    sql`select ${table.record} ->> 'code' as code from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${id}`,
  )
  if (!found) return undefined
  await lockCodes(connection, sellerId, [found.code])
  return lockRow(connection, sellerId, id)
}

/**
 * Changes a locked coupon.
 *
 * @param current the result of `lockCoupon`
 * @returns the coupon's JSON
 * @throws {ApiError} `body_invalid` if `redeemBy` is not in the future, a checkout page is unknown or `maxRedemptions` is less than the
 *   number of redemptions, or `code_taken` if a deleted coupon is restored while another coupon has its code
 */
export async function updateCoupon(
  connection: Connection,
  sellerId: string,
  by: Editor,
  current: string,
  patch: CouponPatch,
): Promise<string> {
  const { id, code, timesRedeemed, deleted, pageIds } = JSON.parse(current) as Coupon
  requireFuture(patch.redeemBy)
  await requirePages(connection, sellerId, patch.pageIds, pageIds)
  if (typeof patch.maxRedemptions === 'number' && patch.maxRedemptions < timesRedeemed) {
    const message = `maxRedemptions must be at least ${timesRedeemed}, because the coupon has already been redeemed ${timesRedeemed} times.`
    throw new ApiError('body_invalid', message, 'maxRedemptions')
  }
  if (deleted && patch.deleted === false) await requireFreeCode(connection, sellerId, code)
  const { record, changes } = await patchRecord(connection, coupons, sellerId, current, patch)
  await markEdited(connection, sellerId, id, Object.keys(patch))
  if (changes) await writeAudit(connection, { sellerId, by, action: 'coupon.changed', subject: code, recordId: id, changes })
  return record
}

/** Creates a coupon in a new transaction. Throws the same errors as `createCoupon`. */
export const addCoupon = (sellerId: string, by: Editor, coupon: NewCoupon): Promise<string> =>
  database().transaction((connection) => createCoupon(connection, sellerId, by, coupon))

/** Changes a coupon in a new transaction. @throws {ApiError} `record_not_found`, or the errors of `updateCoupon` */
export async function changeCoupon(sellerId: string, by: Editor, id: string, patch: CouponPatch): Promise<string> {
  const record = await changeLocked(lockCoupon)(sellerId, id, (connection, current) =>
    updateCoupon(connection, sellerId, by, current, patch),
  )
  if (record === undefined) throw new ApiError('record_not_found', `No coupon with id '${id}'. List the coupons to find it.`, 'id')
  return record
}
