/** The changes that an event makes to a record: members to set, or null for members to remove. */
import type { z } from 'zod'
import type { address as recordAddress } from '../../catalog/shapes'
import { OBJECT_ID } from '../../core/object-id'
import type { Address } from './objects'

export type Patch<R extends z.ZodObject> = { [Name in keyof z.input<R>]?: z.input<R>[Name] | null }

/** Converts Unix seconds to ISO 8601. */
export const toIsoTime = (seconds: number) => new Date(seconds * 1000).toISOString()

/** Converts optional Unix seconds to ISO 8601, or null. */
export const toIsoTimeOrNull = (seconds: number | null | undefined) => (typeof seconds === 'number' ? toIsoTime(seconds) : null)

/** Returns a copy without null and undefined members, so that these do not overwrite known values. */
export function omitEmpty<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>
  }
}

/** Returns a copy without null and undefined members, or undefined if no other members exist. */
export function omitEmptyOrUndefined<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } | undefined {
  const part = omitEmpty(members)
  return Object.keys(part).length > 0 ? part : undefined
}

/** The members that contain contact details. */
const CONTACTS = new Set(['billing', 'shipping'])

type Contact = { address?: { line1?: string } }

/**
 * Adds newer contact details to known ones. Known ones that the newer ones lack are kept, because a payment form often asks for a country or
 * a postal code only. For the same reason, an address without a street does not replace one with a street.
 */
function mergeContacts(known: Contact, newer: Contact): Contact {
  const hasFullAddress = known.address?.line1 !== undefined && newer.address?.line1 === undefined
  return { ...known, ...newer, ...(hasFullAddress && { address: known.address }) }
}

/** Applies patches to a copy of a record. Each member is set by the last patch that contains it; contact details are merged. */
export function applyPatches(record: Record<string, unknown>, patches: readonly Record<string, unknown>[]): Record<string, unknown> {
  const result = { ...record }
  for (const [name, value] of patches.flatMap(Object.entries<unknown>)) {
    result[name] = CONTACTS.has(name) ? mergeContacts((result[name] ?? {}) as Contact, value as Contact) : value
  }
  return result
}

/** Converts an address, or returns undefined if it is empty. */
export function toAddress(address: Address): z.input<typeof recordAddress> | undefined {
  if (!address) return undefined
  const { postal_code: postalCode, line1, line2, city, state, country } = address
  return omitEmptyOrUndefined({ line1, line2, city, state, postalCode, country })
}

type Metadata = Record<string, string> | null | undefined

/** Returns the order ID and the checkout page ID that the shop added to Stripe's metadata. Omits an invalid page ID. */
export function getMetadataIds(metadata: Metadata): { orderId?: string; pageId?: string } {
  const pageId = metadata?.pageId
  return omitEmpty({ orderId: metadata?.orderId, pageId: pageId && OBJECT_ID.test(pageId) ? pageId : undefined })
}
