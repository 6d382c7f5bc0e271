/** Lists a seller's audit log, newest first. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { apiKeys, auditLog } from '@/db/schema'
import type { Changes } from '../accounts/audit'
import { type LogParams, PAGE_SIZE } from '../catalog/list-params'
import { instantText } from '../core/sql'
import { keyset, type Page, readCursor, toPage } from './keyset'

export type AuditEntry = {
  id: number
  /** In ISO 8601. */
  at: string
  /** The user's email address at that time; null for an API key, the operator and the server. */
  email: string | null
  /** The name of the API key that made the change; otherwise null. */
  key: string | null
  /** One of `ACTIONS`, or an action written by a newer version. */
  action: string
  /** The name of the changed object, such as a key's name or a user's email address. Empty if none was stored. */
  subject: string
  /**
   * The ID of the changed record or the renamed device, or of the record with the note. Null for other objects, or if an earlier version
   * did not store it.
   */
  recordId: string | null
  changes: Changes
}

/** Returns a page of a seller's audit log; by default, the newest entries. */
export async function listAudit(sellerId: string, params: LogParams = { limit: PAGE_SIZE.max }): Promise<Page<AuditEntry>> {
  const { limit } = params
  const { cursor, direction } = readCursor(params)
  // Earlier versions stored the ID of a record with notes only as the subject.
  const recordId = sql`coalesce(record_id, case when starts_with(action, 'note.') then subject end)`
  const found = await database().query<Omit<AuditEntry, 'changes'> & { details: string }>(sql`
    select ${auditLog.id}::float8 as id, ${instantText(auditLog.at)} as at, email, action, coalesce(subject, '') as subject, details::text as details,
      ${recordId} as "recordId",
      (select ${apiKeys.name} from ${apiKeys} where ${apiKeys.sellerId} = ${sellerId} and ${apiKeys.id} = ${auditLog.keyId}) as key
    ${keyset({
      from: auditLog,
      order: [auditLog.id],
      where: sql`${auditLog.sellerId} = ${sellerId}`,
      cursor: cursor === undefined ? undefined : sql`(${cursor}::bigint)`,
      direction,
      limit: limit + 1,
    })}`)
  const entries = found.map(({ details, ...entry }) => ({ ...entry, changes: JSON.parse(details) as Changes }))
  return toPage(entries, { cursor, direction, limit })
}
