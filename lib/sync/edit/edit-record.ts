/** Locks and edits stored records. */
import { sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import type { AuditValue, Changes, Editor } from '../../accounts/audit'
import type { Resource } from '../../catalog/resource'
import { instantText, textArray } from '../../core/sql'

/** Locks a record until the transaction ends. Returns its JSON, or undefined if the seller has no such record. */
export type Lock = (connection: Connection, sellerId: string, id: string) => Promise<string | undefined>

/**
 * Returns a function that locks a record of a resource, and returns the record's JSON without the secret members, or undefined if the
 * seller has no such record.
 */
export const lockRecord =
  ({ table }: Resource): Lock =>
  async ({ rows }, sellerId, id) => {
    const [row] = await rows<{ record: string }>(
      sql`select ${table.record}::text as record from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${id} for no key update`,
    )
    return row?.record
  }

/**
 * Sets the time of all events that the transaction writes after this call to the current time. Call it after the record is locked: a
 * transaction that waited for the lock started before the change it waited for.
 *
 * @returns the time, in ISO 8601 format
 */
export async function setChangeTime({ rows }: Connection): Promise<string> {
  const [row] = await rows<{ now: string }>(sql`select set_config('desk.now', ${instantText(sql`clock_timestamp()`)}, true) as now`)
  return row?.now ?? ''
}

/** Returns an expression that adds members to a record's manually edited members, which Stripe's events do not change. */
export const editedWith = (members: readonly string[]) => sql`array(select distinct unnest(edited || ${textArray(members)}) order by 1)`

/** Converts a member's value for the audit log. */
const toValue = (value: unknown): AuditValue =>
  value === undefined || value === null
    ? null
    : Array.isArray(value)
      ? value.map(String)
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)

/**
 * Changes members of a locked record, and sets its `updatedAt` to the current time, unless `updatedAt` is in the future.
 *
 * @param current the record's JSON
 * @param patch the members to change; null removes a member
 * @returns the record's new JSON, and the changes for the audit log. If the patch changes nothing, nothing is written, and `changes` is
 *   undefined
 */
export async function patchRecord(
  connection: Connection,
  { table, record: schema }: Resource,
  sellerId: string,
  current: string,
  patch: Record<string, unknown>,
): Promise<{ record: string; changes: Changes | undefined }> {
  const before = JSON.parse(current) as Record<string, unknown>
  const changed = Object.entries(patch).filter(([name, value]) => JSON.stringify(before[name] ?? null) !== JSON.stringify(value ?? null))
  if (changed.length === 0) return { record: current, changes: undefined }
  const now = await setChangeTime(connection)
  const updatedAt = now > String(before.updatedAt) ? now : before.updatedAt
  const members = Object.entries({ ...before, ...Object.fromEntries(changed), updatedAt }).filter(([, value]) => value !== null)
  // The schema puts the members in a fixed order, so that equal records are equal strings.
  const record = JSON.stringify(schema.parse(Object.fromEntries(members)))
  await connection.rows(
    sql`update ${table} set record = ${record}::text::json where ${table.sellerId} = ${sellerId} and ${table.id} = ${String(before.id)}`,
  )
  const changes = changed.map(([name, value]) => [name, { before: toValue(before[name]), after: toValue(value) }])
  return { record, changes: Object.fromEntries(changes) }
}

/**
 * Returns a function that changes a record in a new transaction that locks it. The function returns the result of `change`, or undefined if
 * the seller has no such record. `maxMs` is the time limit in milliseconds, if `change` may take longer than a statement is allowed to.
 */
export const changeLocked =
  (lock: Lock) =>
  <T>(
    sellerId: string,
    id: string,
    change: (connection: Connection, current: string) => Promise<T>,
    maxMs?: number,
  ): Promise<T | undefined> =>
    database().transaction(
      async (connection) => {
        const current = await lock(connection, sellerId, id)
        return current === undefined ? undefined : change(connection, current)
      },
      undefined,
      maxMs,
    )

/**
 * Returns a function that changes a record in the dashboard, unless it has changed since the user opened the form. Comparing `updatedAt` is
 * not enough: if it is in the future, changes do not affect it. Instead, the function takes a callback that returns whether the record's
 * JSON is still the same. The function returns `changed` if the JSON has changed, or `gone` if the record does not exist; in both cases,
 * nothing is written.
 *
 * @param lock locks a record and returns its JSON
 * @param update changes a locked record
 */
export const editUnchanged =
  <Patch>(lock: Lock, update: (connection: Connection, sellerId: string, by: Editor, current: string, patch: Patch) => Promise<string>) =>
  async (
    sellerId: string,
    by: Editor,
    id: string,
    isUnchanged: (current: string) => boolean,
    patch: Patch,
  ): Promise<'saved' | 'changed' | 'gone'> => {
    const result = await changeLocked(lock)(sellerId, id, async (connection, current) => {
      if (!isUnchanged(current)) return 'changed'
      await update(connection, sellerId, by, current, patch)
      return 'saved'
    })
    return result ?? 'gone'
  }
