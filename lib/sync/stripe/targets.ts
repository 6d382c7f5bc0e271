/** The records that events make and change: which one it is, and what becomes of it. */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { type ResourceName, resources } from '../../catalog'
import type { Resource } from '../../catalog/resource'
import { placeOf, reasonOf } from '../../core/validation-issue'
import { targetOf } from '../records/bookings'
import { clean, Unfit } from '../records/clean'
import { couponPatches } from './coupon'
import type { Told } from './event'
import type { StripeObject } from './objects'
import { at } from './patch'
import { paymentPatches } from './payment'
import { subscriptionPatches } from './subscription'

/** An event that can't be worked off; its message says why, and holds no value of the event. */
export class BadEvent extends Error {
  override name = 'BadEvent'
}

type Kind = {
  /** Where such a record may be; in the first it is made. */
  homes: readonly Resource[]
  /** Without an event of one of these there is nothing to make a record of; what made it first is when it was made. */
  founders: readonly StripeObject['object'][]
  patches: (events: Told[]) => Record<string, unknown>[]
  /** What a new record has, where Stripe has no word for it. */
  defaults?: (gatewayId: string) => Record<string, unknown>
}

const KINDS = {
  payment: {
    // What was imported as a booking is paid for by the same payment intents.
    homes: [resources.payments, resources.bookings],
    founders: ['payment_intent', 'charge'],
    patches: paymentPatches,
  },
  subscription: {
    homes: [resources.subscriptions],
    founders: ['subscription'],
    patches: subscriptionPatches,
  },
  coupon: {
    homes: [resources.coupons],
    founders: ['coupon'],
    patches: couponPatches,
    defaults: (gatewayId) => ({ label: gatewayId, code: gatewayId }),
  },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS

/** The kinds of objects whose records may be in a resource. */
export const kindsIn = (name: ResourceName): KindName[] =>
  (Object.keys(KINDS) as KindName[]).filter((kind) => KINDS[kind].homes.some((home) => home.name === name))

/** Where a record of a kind is made. */
export const madeIn = (name: KindName): Resource => KINDS[name].homes[0]

/** The id of a record that is made here: the same for the same object of Stripe's, whichever of its events comes first. */
export const ownIdOf = (seller: string, gatewayId: string) =>
  createHash('sha256').update(`${seller} ${gatewayId}`).digest('hex').slice(0, 24)

/** More than one payment intent ever pays for: an import that put one id into all of its records is not rewritten whole by an event. */
const MOST_RECORDS = 1000

type Found = { home: Resource; record: Record<string, unknown> }

/**
 * The record that was made for an object of Stripe's, and all that came with an import and name it: a booking and its payment, say.
 * Locked, for they are written next.
 *
 * @param passOver the id of one that is not meant
 * @throws {BadEvent} where too many name it
 */
async function findRecords({ rows }: Connection, seller: string, { homes }: Kind, gatewayId: string, passOver?: string): Promise<Found[]> {
  const id = ownIdOf(seller, gatewayId)
  const found: Found[] = []
  for (const home of homes) {
    const named = await rows<{ record: string; secrets: string | null }>(sql`
      select ${home.table.record}::text as record, ${home.table.secrets}::text as secrets from ${home.table}
      where ${home.table.sellerId} = ${seller} and (${home.table.id} = ${id} or ${home.table.gatewayId} = ${gatewayId})
        and ${home.table.id} is distinct from ${passOver ?? null}
      order by ${home.table.id} limit ${MOST_RECORDS + 1} for no key update`)
    found.push(...named.map(({ record, secrets }) => ({ home, record: { ...JSON.parse(record), ...JSON.parse(secrets ?? '{}') } })))
  }
  if (found.length > MOST_RECORDS) throw new BadEvent(`more than ${MOST_RECORDS} records have the id of its object`)
  return found
}

const earlier = (a: string, b: unknown) => (typeof b === 'string' && b < a ? b : a)
const later = (a: string, b: unknown) => (typeof b === 'string' && b > a ? b : a)

/** When its first object was made. What came with an import keeps its own word. */
function createdAtOf(founding: Told[], id: string, record: Record<string, unknown>): unknown {
  const [first] = founding.map(({ object }) => object.created).sort((a, b) => a - b)
  return first === undefined || (record.id !== undefined && record.id !== id) ? record.createdAt : earlier(at(first), record.createdAt)
}

function check(home: Resource, line: Record<string, unknown>): Record<string, unknown> {
  try {
    const record = clean(line)
    const checked = home.record.safeParse(record)
    if (checked.success) return checked.data
    const [issue] = checked.error.issues
    throw new BadEvent(issue ? `${home.name}: ${placeOf(issue)} ${reasonOf(issue, record)}` : `${home.name}: does not fit`)
  } catch (error) {
    throw error instanceof Unfit ? new BadEvent(`${home.name}: ${error.path} ${error.reason}`) : error
  }
}

/**
 * Brings the records of an object of Stripe's to what all of its events say. Each member is what the last event in order says of it,
 * or what it was where none says anything: so it does not matter which events came first, or how often.
 *
 * @param events every one that is known of it, in order
 * @param replacing whether a record that was made here gives way to those that came with an import
 * @throws {BadEvent} where no record can be made of them; nothing has been written then
 */
export async function applyEvents(
  connection: Connection,
  seller: string,
  name: KindName,
  gatewayId: string,
  events: Told[],
  replacing = false,
): Promise<void> {
  const kind: Kind = KINDS[name]
  const id = ownIdOf(seller, gatewayId)
  const founding = events.filter(({ object }) => kind.founders.includes(object.object))
  const found = await findRecords(connection, seller, kind, gatewayId, replacing ? id : undefined)
  if (found.length === 0) {
    if (replacing || founding.length === 0) return
    found.push({ home: madeIn(name), record: { id, ...kind.defaults?.(gatewayId) } })
  }
  const newest = at(Math.max(...events.map(({ created }) => created)))
  const patches = kind.patches(events)
  const lines = found.map(({ home, record }) => {
    const times = { createdAt: createdAtOf(founding, id, record), updatedAt: later(newest, record.updatedAt) }
    const line = Object.assign({}, record, ...patches, times)
    targetOf(home).complete(line, seller)
    return { home, line: check(home, line) }
  })
  if (replacing) await connection.rows(sql`delete from ${madeIn(name).table} where seller_id = ${seller} and id = ${id}`)
  for (const home of kind.homes) {
    const target = targetOf(home)
    const rows = lines.filter((line) => line.home === home).map(({ line }) => target.toRow(line))
    if (rows.length > 0) await target.write(connection, seller, rows)
  }
}
