/** Writes the audit log of changes to a seller's settings and records, in the same transaction as the change. */
import type { Connection } from '@/db/client'
import { auditLog } from '@/db/schema'

/** The user who makes a change. */
export type Actor = { userId: string; email: string }

/**
 * The author of a change: a user or an API key. Undefined for the operator on the command line, and for changes that the server makes on
 * its own.
 */
export type Editor = Actor | { keyId: string } | undefined

export const ACTIONS = [
  'seller.created',
  'seller.changed',
  'key.created',
  'key.rotated',
  'key.revoked',
  'key.paused',
  'key.resumed',
  'page.added',
  'page.changed',
  'invitation.created',
  'invitation.revoked',
  'user.added',
  'user.joined',
  'user.role_changed',
  'user.disabled',
  'user.enabled',
  'device.created',
  'device.enrolled',
  'device.renamed',
  'device.revoked',
  'password.changed',
  'password.set',
  'two_factor.enabled',
  'two_factor.disabled',
  'two_factor.recovery_code_used',
  'two_factor.reset',
  'two_factor.required',
  'two_factor.not_required',
  'stripe.secret_set',
  'stripe.events_retried',
  'coupon.created',
  'coupon.changed',
  'customer.changed',
  'customer.erased',
  'webhook.created',
  'webhook.changed',
  'webhook.secret_rotated',
  'webhook.deleted',
  'webhook.disabled',
  'ticket.changed',
  'note.added',
  'note.deleted',
  'view.created',
  'view.changed',
  'view.deleted',
] as const
export type Action = (typeof ACTIONS)[number]

/** A value in the audit log. */
export type AuditValue = string | readonly string[] | null

/** The changed values, such as `{ role: { before: 'staff', after: 'owner' } }`. Contains no secrets. */
export type Changes = Record<string, { before?: AuditValue; after?: AuditValue }>

export type Change = {
  sellerId: string
  by: Editor
  action: Action
  /** The name of what was changed, such as a key's name or a user's email address. */
  subject: string
  /** The ID of the changed record or the renamed device, or of the record with the note. */
  recordId?: string
  changes?: Changes
}

/** Writes an audit log entry. @param connection the transaction of the change, so that neither is committed without the other */
export async function writeAudit({ orm }: Connection, { sellerId, by, action, subject, recordId, changes = {} }: Change): Promise<void> {
  const user = by && 'userId' in by ? by : undefined
  await orm.insert(auditLog).values({
    sellerId,
    userId: user?.userId ?? null,
    email: user?.email ?? null,
    keyId: by && 'keyId' in by ? by.keyId : null,
    action,
    subject,
    recordId: recordId ?? null,
    details: JSON.stringify(changes),
  })
}

/** Returns the members of `after` whose values differ from those in `before`, with both values; undefined if there are none. */
export function changesBetween<T extends Record<string, AuditValue>>(before: T, after: T): Changes | undefined {
  const changes = Object.keys(after).flatMap((name) => {
    const [was, is] = [before[name] ?? null, after[name] ?? null]
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [[name, { before: was, after: is }] as const]
  })
  return changes.length > 0 ? Object.fromEntries(changes) : undefined
}

export const isAction = (name: string): name is Action => (ACTIONS as readonly string[]).includes(name)
