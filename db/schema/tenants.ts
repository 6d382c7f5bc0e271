/** Who the rows belong to: sellers, their users, API keys and pages. */
import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { bytes, instant, jsonText } from './types'

const createdAt = () => instant('created_at').notNull().defaultNow()

export const sellers = pgTable('sellers', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  /** An IANA name such as Europe/Amsterdam: the day of a check-in is this zone's. */
  timeZone: text('time_zone').notNull().default('UTC'),
  createdAt: createdAt(),
})

export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    email: text('email').notNull(),
    /** argon2id, in its own encoded form. */
    passwordHash: text('password_hash').notNull(),
    role: text('role', { enum: ['owner', 'staff', 'door'] }).notNull(),
    createdAt: createdAt(),
    /** Set, the user can't sign in, and no session of theirs counts. */
    disabledAt: instant('disabled_at'),
    /** How they like to see the dashboard, such as which columns of a table; theirs alone. */
    preferences: jsonText('preferences').notNull().default('{}'),
  },
  (t) => [uniqueIndex('users_email').on(sql`desk_fold(${t.email})`), index('users_seller').on(t.sellerId)],
)

/** A browser that is signed in: the row behind the cookie, so that it can be ended from here. */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (t) => [index('sessions_user').on(t.userId)],
)

/** Wrong passwords of late, by account and by address: what a further try has to wait for. */
export const signInFailures = pgTable('sign_in_failures', {
  /** SHA-256 of the account or the address: neither stands here to be read. */
  subject: bytes('subject').primaryKey(),
  failures: integer('failures').notNull(),
  lastAt: instant('last_at').notNull(),
})

export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    name: text('name').notNull(),
    scopes: text('scopes').array().notNull(),
    /** SHA-256 of the key; the key itself is stored nowhere. */
    hash: bytes('hash').notNull(),
    createdAt: createdAt(),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
    lastUsedAt: instant('last_used_at'),
  },
  (t) => [uniqueIndex('api_keys_hash').on(t.hash), index('api_keys_seller').on(t.sellerId)],
)

export const pages = pgTable(
  'pages',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: text('id').notNull(),
    name: text('name').notNull(),
    entryPolicy: text('entry_policy', { enum: ['single', 'multiple'] })
      .notNull()
      .default('single'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.id] })],
)
