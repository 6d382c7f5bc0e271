/** Catalog entries: each defines a type of record once, for the API, its reference, imports, exports and the dashboard. */
import type { z } from 'zod'
import type * as tables from '@/db/schema/records'
import type { Column } from './columns'

/** A table of `db/schema/records.ts` that stores one record per row. */
export type RecordTable = Extract<(typeof tables)[keyof typeof tables], { record: unknown }>

export type Filters = {
  /** True if the list can be filtered by checkout page. */
  pageId?: true
  /** The statuses that the list can be filtered by. */
  status?: readonly string[]
  /** The statuses that have a tab in the dashboard's table. The tab *Other* shows the rest. */
  tabs?: readonly string[]
}

/** A type of record: its name, its schema with descriptions, and a complete example. */
export type RecordType = {
  /** The plural name in snake case, such as `gift_cards`: the path, the table's name and the name in `desk import`. */
  name: string
  /** The labels, in title case. The singular without spaces is the schema's name in the OpenAPI document. */
  label: { one: string; many: string }
  /** A description of the record for the API reference, in Markdown. */
  description: string
  /** The record as the API returns it. Every member must have a description; a test checks that. */
  record: z.ZodObject
  example: Record<string, unknown>
}

/** A record type whose list operation and dashboard table are derived from this definition. */
export type Resource = RecordType & {
  table: RecordTable
  /** Members that are stored separately from the record and returned only to keys with the scope `full` or `secrets:read`. */
  secrets: readonly string[]
  /** The paths of the members that a search matches, each with its name in the search field's placeholder. */
  search: Readonly<Record<string, string>>
  /** The member with the record's ID at the payment gateway. The column `gateway_id` is derived from it. */
  gatewayId?: string
  filters: Filters
  /**
   * The statuses that have an event type, such as `payment.paid`. The event is written when a record reaches the status. The database
   * triggers must list the same statuses.
   */
  statusEvents?: readonly string[]
  /** The columns of the dashboard's table. */
  columns: readonly Column[]
}

/** Returns whether the records of a resource are one-time orders, which have revenue. */
export const hasRevenue = ({ table }: Pick<Resource, 'table'>) => 'revenue' in table

/** Adds the name, the description and the example to the metadata of the type's schema, for the OpenAPI document. */
function addMetadata<R extends RecordType>(type: R): R {
  const { label, description, example, record } = type
  return { ...type, record: record.meta({ id: schemaName({ label }), description, examples: [example] }) }
}

/** Returns the name of a record's schema, such as `Payment`. */
export const schemaName = ({ label }: Pick<RecordType, 'label'>) => label.one.replaceAll(' ', '')

/** Returns the prefix of a record's event types, such as `payment` or `gift_card`. */
export const eventPrefix = ({ label }: Pick<RecordType, 'label'>) => label.one.toLowerCase().replaceAll(' ', '_')

export const defineRecordType = <const R extends RecordType>(type: R): R => addMetadata(type)
export const defineResource = <const R extends Resource>(resource: R): R => addMetadata(resource)
