/** Invitations, and the audit log. */
import { sql } from 'drizzle-orm'
import { bigint, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { sellers, users } from './tenants'
import { bytes, instant, jsonText } from './types'

/** An invitation. Its link can be used once, to create one user. */
export const invitations = pgTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    /** Normalized by `normalizeEmail`. */
    email: text('email').notNull(),
    role: text('role', { enum: ['owner', 'staff', 'door'] }).notNull(),
    /** SHA-256 of the link's token; the token itself is not stored. */
    hash: bytes('hash').notNull(),
    invitedBy: text('invited_by')
      .notNull()
      .references(() => users.id),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
    usedAt: instant('used_at'),
    revokedAt: instant('revoked_at'),
  },
  (t) => [uniqueIndex('invitations_hash').on(t.hash), index('invitations_seller').on(t.sellerId)],
)

/**
 * Changes to settings and records, and who made them. Append-only, except that entries about a record get its new ID if an import replaces
 * the record under another ID, and erasures redact personal data.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    at: instant('at').notNull().defaultNow(),
    /** The user who made the change. Null if an API key, the operator on the command line or the server made it. */
    userId: text('user_id'),
    /** The user's email address at that time. */
    email: text('email'),
    /** The API key that made the change. */
    keyId: text('key_id'),
    /** The action, such as `key.created`. */
    action: text('action').notNull(),
    /** A readable name of what was changed, such as a key's name or a user's email address. */
    subject: text('subject'),
    /** The ID of the changed record or device, or of the record with the note. Names are not enough, because others can reuse them. */
    recordId: text('record_id'),
    /** The values before and after the change, by member. Never contains a secret. */
    details: jsonText('details').notNull().default('{}'),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    index('audit_log_record').on(t.sellerId, t.recordId).where(sql`${t.recordId} is not null`),
  ],
)
