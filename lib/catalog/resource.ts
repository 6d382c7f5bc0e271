/** What a listed resource is: a plain object that says it once, for the API, the import and the dashboard. */
import type { z } from 'zod'
import type { bookings, coupons, payments, subscriptions } from '@/db/schema'
import type { Column } from './columns'

export type RecordTable = typeof bookings | typeof coupons | typeof payments | typeof subscriptions

export type Filters = {
  /** The list can be narrowed to one page. */
  pageId?: true
  /** The list can be narrowed to one of these. */
  status?: readonly string[]
}

export type Resource = {
  /** As in the path, and as the table's name. */
  name: 'bookings' | 'coupons' | 'payments' | 'subscriptions'
  table: RecordTable
  /** The record as it is served. */
  record: z.ZodObject
  /** Members that only a key with the scope `secrets:read` is given; stored apart from the record. */
  secrets: readonly string[]
  /** The paths of the members that `search` matches, each with its name in the search field's placeholder. */
  search?: Readonly<Record<string, string>>
  /** The member that holds the payment gateway's id, from which the column `gateway_id` is derived. */
  gatewayId?: string
  filters: Filters
  /** The table of the dashboard. */
  columns: readonly Column[]
}

export const defineResource = <const R extends Resource>(resource: R): R => resource
