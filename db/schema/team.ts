/** Invitations and the audit log. */
import { sql } from 'drizzle-orm'
import { bigint, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { sellers, users } from './tenants'
import { bytes, instant, jsonText } from './types'

/** An invitation. Its link can be used once to create a user. */
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
 * Changes to settings and records, and who made them. Append-only, with two exceptions: if an import replaces a record under a new ID,
 * entries about the record get that ID; and erasures redact personal data.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    at: instant('at').notNull().defaultNow(),
    /** The user who made the change. Null if it was made by an API key, an operator on the command line or the server. */
    userId: text('user_id'),
    /** The user's email address at that time. */
    email: text('email'),
    /** The API key that made the change. */
    keyId: text('key_id'),
    /** The action, such as `key.created`. */
    action: text('action').notNull(),
    /** A human-readable name for what was changed, such as a key's name or a user's email address. */
    subject: text('subject'),
    /** The ID of the changed record or device, or of the record with the note. Names are not sufficient, because they can be reused. */
    recordId: text('record_id'),
    /** The values before and after the change, by member. Never contains a secret. */
    details: jsonText('details').notNull().default('{}'),
  },
  (t) => [
    primaryKey({ columns: [t.sellerId, t.id] }),
    index('audit_log_record').on(t.sellerId, t.recordId).where(sql`${t.recordId} is not null`),
  ],
)
