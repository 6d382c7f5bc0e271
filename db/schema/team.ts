/** How a seller's users come about, and what they have changed. */
import { bigint, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { sellers, users } from './tenants'
import { bytes, instant, jsonText } from './types'

/** A link that makes one user, once. */
export const invitations = pgTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    email: text('email').notNull(),
    role: text('role', { enum: ['owner', 'staff', 'door'] }).notNull(),
    /** SHA-256 of what the link carries; the link itself is stored nowhere. */
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

/** What was changed in the settings, by whom: appended to and never rewritten. */
export const auditLog = pgTable(
  'audit_log',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    at: instant('at').notNull().defaultNow(),
    /** The user who did it; absent where it was the operator, at the server's own command line. */
    userId: text('user_id'),
    /** The user's address as it was then. */
    email: text('email'),
    /** Such as `key.created`. */
    action: text('action').notNull(),
    /** What it was done to, as a person knows it: a key's name, a user's address. */
    subject: text('subject'),
    /** What it was before and is now, member by member; never a secret. */
    details: jsonText('details').notNull().default('{}'),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.id] })],
)
