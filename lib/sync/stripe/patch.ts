/** What an event says of a record: members to set, and with null members to take away. */
import type { z } from 'zod'
import type { address as recordAddress } from '../../catalog/shapes'
import { OBJECT_ID } from '../../core/object-id'
import type { Address } from './objects'

export type Patch<R extends z.ZodObject> = { [Name in keyof z.input<R>]?: z.input<R>[Name] | null }

/** Unix seconds as an instant. */
export const at = (seconds: number) => new Date(seconds * 1000).toISOString()

/** The same, null where there is none. */
export const atOrNull = (seconds: number | null | undefined) => (typeof seconds === 'number' ? at(seconds) : null)

/** Leaves out what has no value, so that it does not take away what is known already. */
export function known<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>
  }
}

/** The same of a part of a record; undefined where nothing of it is known. */
export function knownPart<T extends object>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } | undefined {
  const part = known(members)
  return Object.keys(part).length > 0 ? part : undefined
}

export function addressOf(address: Address): z.input<typeof recordAddress> | undefined {
  if (!address) return undefined
  const { postal_code: postalCode, line1, line2, city, state, country } = address
  return knownPart({ line1, line2, city, state, postalCode, country })
}

type Metadata = Record<string, string> | null | undefined

/** The shop's own order and page, where it has told Stripe of them. */
export function ownIds(metadata: Metadata): { orderId?: string; pageId?: string } {
  const pageId = metadata?.pageId
  return known({ orderId: metadata?.orderId, pageId: pageId && OBJECT_ID.test(pageId) ? pageId : undefined })
}
