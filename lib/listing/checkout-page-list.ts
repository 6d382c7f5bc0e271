/** Defines the list of a seller's checkout pages. */
import { sql } from 'drizzle-orm'
import { pages as table } from '@/db/schema'
import { instantText } from '../core/sql'
import type { AssembledList } from './assembled-list'

/** A SQL expression for a checkout page as JSON, in the format of imports, exports and the API. Members without a value are omitted. */
export const pageJson = sql`json_strip_nulls(json_build_object('id', ${table.id}, 'name', ${table.name}, 'entryPolicy', ${table.entryPolicy},
  'startsAt', ${instantText(table.startsAt)}, 'endsAt', ${instantText(table.endsAt)}, 'capacity', ${table.capacity},
  'createdAt', ${instantText(table.createdAt)}))::text`

export const pageList: AssembledList = {
  table,
  recordName: 'page',
  columns: (row) => sql`(select ${pageJson} from (select (${row}).*) as pages) as record, null as secrets`,
}
