/** The changes that an event makes to a record: members to set, or null for members to remove. */
import type { z } from 'zod'
import type { address as recordAddress } from '../../catalog/shapes'
import { OBJECT_ID } from '../../core/object-id-pattern'
import type { Address } from './objects'

export type Patch<R extends z.ZodObject> = { [Name in keyof z.input<R>]?: z.input<R>[Name] | null }

/** Converts Unix seconds to ISO 8601. */
export const toIsoTime = (seconds: number) => new Date(seconds * 1000).toISOString()

/** Converts optional Unix seconds to ISO 8601, or null. */
export const toIsoTimeOrNull = (seconds: number | null | undefined) => (typeof seconds === 'number' ? toIsoTime(seconds) : null)

/** Returns a copy without null and undefined members, so that these do not overwrite known values. */
export function omitNullish<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>
  }
}

/** Returns an object, or undefined if it has no members. */
export const undefinedIfEmpty = <T extends object>(members: T): T | undefined => (Object.keys(members).length > 0 ? members : undefined)

type StoredAddress = Record<string, string> | undefined
type Billing = { name?: string; address?: StoredAddress }

/**
 * Returns the newer address, unless it only repeats parts of the known one, because many payment forms ask only for a country or a postal
 * code.
 */
const mergeAddress = (known: StoredAddress, newer: StoredAddress) =>
  known && Object.entries(newer ?? {}).every(([name, value]) => value === '' || known[name] === value) ? known : newer

/** Adds newer billing details to known ones. Known ones that the newer ones lack are kept, for the same reason as in `mergeAddress`. */
const mergeBilling = (known: Billing, newer: Billing): Billing => ({
  ...known,
  ...newer,
  ...omitNullish({ address: mergeAddress(known.address, newer.address) }),
})

function mergeMember(name: string, known: unknown, newer: unknown): unknown {
  if (newer === null) return null
  if (name === 'billing') return mergeBilling((known ?? {}) as Billing, newer as Billing)
  return name === 'address' ? mergeAddress(known as StoredAddress, newer as StoredAddress) : newer
}

/** Applies patches to a copy of a record. Each member is set by the last patch that contains it; `billing` and `address` are merged. */
export function applyPatches(record: Record<string, unknown>, patches: readonly Record<string, unknown>[]): Record<string, unknown> {
  const result = { ...record }
  for (const [name, value] of patches.flatMap(Object.entries<unknown>)) result[name] = mergeMember(name, result[name], value)
  return result
}

/**
 * Maps objects to patches, in order. If the billing name differs from the one in an earlier object, the known billing details are removed
 * first, so that the details of two people are not mixed.
 */
export function toBillingPatches<T, P extends { billing?: { name?: string | undefined } | null }>(
  objects: readonly T[],
  toPatch: (object: T) => P,
): (P | { billing: null })[] {
  let person: string | undefined
  return objects.flatMap((object) => {
    const patch = toPatch(object)
    const name = patch.billing?.name
    const isDifferentPerson = person !== undefined && name !== undefined && name !== person
    person = name ?? person
    return isDifferentPerson ? [{ billing: null }, patch] : [patch]
  })
}

/** Converts an address, or returns undefined if it is empty. */
export function toAddress(address: Address): z.input<typeof recordAddress> | undefined {
  if (!address) return undefined
  const { postal_code: postalCode, line1, line2, city, state, country } = address
  return undefinedIfEmpty(omitNullish({ line1, line2, city, state, postalCode, country }))
}

type Metadata = Record<string, string> | null | undefined

/** Returns the order ID and the checkout page ID that the shop added to Stripe's metadata. Omits an invalid page ID. */
export function getMetadataIds(metadata: Metadata): { orderId?: string; pageId?: string } {
  const pageId = metadata?.pageId
  return omitNullish({ orderId: metadata?.orderId, pageId: pageId && OBJECT_ID.test(pageId) ? pageId : undefined })
}
