/** Finds the titles of records of any resource by ID, for text that mentions records. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { tickets } from '@/db/schema'
import { RESOURCE_NAMES, type ResourceName, resources } from '../catalog'
import { textArray } from '../core/sql'

export type TitledRecord = {
  resource: ResourceName | 'tickets'
  id: string
  /** The title of the record's page: the order ID, code, name, email address or short ticket ID; otherwise the ID. */
  title: string
}

const TITLES = ['orderId', 'code', 'name', 'email']

const firstText = (members: readonly string[]): SQL =>
  sql`coalesce(${sql.join(
    members.map((name) => sql`nullif(record ->> ${sql.raw(`'${name}'`)}, '')`),
    sql`, `,
  )}, id)`

/** Returns the titles of the records with these IDs. Records of different resources can have the same ID. */
export async function findTitles(sellerId: string, ids: readonly string[]): Promise<TitledRecord[]> {
  if (ids.length === 0) return []
  const select = (resource: TitledRecord['resource'], table: SQL, title: SQL) => sql`
    select ${resource}::text as resource, id, ${title} as title from ${table} where seller_id = ${sellerId} and id = any(${textArray(ids)})`
  const lists = [
    ...RESOURCE_NAMES.map((name) => select(name, sql`${resources[name].table}`, firstText(TITLES))),
    select('tickets', sql`${tickets}`, firstText(['ticketShortId'])),
  ]
  return database().query<TitledRecord>(sql.join(lists, sql` union all `))
}
