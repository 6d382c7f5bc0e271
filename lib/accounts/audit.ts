/** The audit log: what was changed in a seller's settings and by whom, written in the transaction of the change itself. */
import { and, asc, desc, eq, gt, lt } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { auditLog } from '@/db/schema'

/** The user who makes a change; undefined is the operator, at the server's own command line. */
export type Actor = { userId: string; email: string } | undefined

export const ACTIONS = [
  'seller.created',
  'seller.changed',
  'key.created',
  'key.rotated',
  'key.revoked',
  'page.added',
  'page.changed',
  'invitation.created',
  'invitation.revoked',
  'user.added',
  'user.joined',
  'user.role_changed',
  'user.disabled',
  'user.enabled',
  'password.changed',
  'password.set',
  'stripe.secret_set',
  'stripe.events_retried',
] as const
export type Action = (typeof ACTIONS)[number]

export type Value = string | readonly string[] | null

/** A member's name with what it was and is: `{ role: { before: 'staff', after: 'owner' } }`. Never a secret. */
export type Changes = Record<string, { before?: Value; after?: Value }>

export type Change = {
  sellerId: string
  by: Actor
  action: Action
  /** What it was done to, as a person knows it: a key's name, a user's address. */
  subject: string
  changes?: Changes
}

/** Notes a change. @param connection the change's own transaction, so that neither is ever there without the other */
export async function writeAudit({ orm }: Connection, { sellerId, by, action, subject, changes = {} }: Change): Promise<void> {
  await orm.insert(auditLog).values({
    sellerId,
    userId: by?.userId ?? null,
    email: by?.email ?? null,
    action,
    subject,
    details: JSON.stringify(changes),
  })
}

/** The members that differ, or undefined where none does. */
export function changesBetween<T extends Record<string, Value>>(before: T, after: T): Changes | undefined {
  const changes = Object.keys(after).flatMap((name) => {
    const [was, is] = [before[name] ?? null, after[name] ?? null]
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [[name, { before: was, after: is }] as const]
  })
  return changes.length > 0 ? Object.fromEntries(changes) : undefined
}

export type AuditEntry = {
  id: number
  /** ISO 8601. */
  at: string
  /** The user's address as it was then; null is the operator. */
  email: string | null
  /** One of `ACTIONS`, or one that a later version has written. */
  action: string
  subject: string
  changes: Changes
}

export type AuditPage = {
  /** Newest first. */
  entries: AuditEntry[]
  /** Whether there are some beyond this page on either side. */
  hasNewer: boolean
  hasOlder: boolean
}

/** The entry that a page comes after (older ones) or before (newer ones), by its id. */
export type AuditCursor = { startingAfter?: number | undefined; endingBefore?: number | undefined }

export const isAction = (name: string): name is Action => (ACTIONS as readonly string[]).includes(name)

/** A page of a seller's log by its key: no entry is skipped or repeated while others are appended. */
export async function listAudit(sellerId: string, { startingAfter, endingBefore }: AuditCursor = {}, limit = 50): Promise<AuditPage> {
  const { id, at, email, action, subject, details } = auditLog
  const rows = await database().use(({ orm }) =>
    orm
      .select({ id, at, email, action, subject, details })
      .from(auditLog)
      .where(
        and(
          eq(auditLog.sellerId, sellerId),
          endingBefore === undefined ? undefined : gt(id, endingBefore),
          startingAfter === undefined ? undefined : lt(id, startingAfter),
        ),
      )
      .orderBy(endingBefore === undefined ? desc(id) : asc(id))
      .limit(limit + 1),
  )
  const hasMore = rows.length > limit
  const page = rows.slice(0, limit)
  if (endingBefore !== undefined) page.reverse()
  const entries = page.map(
    (row): AuditEntry => ({
      id: row.id,
      email: row.email,
      action: row.action,
      at: new Date(row.at).toISOString(),
      subject: row.subject ?? '',
      changes: readChanges(row.details),
    }),
  )
  return {
    entries,
    hasNewer: endingBefore === undefined ? startingAfter !== undefined : hasMore,
    hasOlder: endingBefore === undefined ? hasMore : true,
  }
}

/** The driver gives `json` parsed or as text, by how the query was made. */
const readChanges = (details: unknown): Changes => (typeof details === 'string' ? JSON.parse(details) : details) as Changes
