/** Sellers and their users, sessions, API keys and checkout pages. */
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { bytes, instant, jsonText } from './types'

const createdAt = () => instant('created_at').notNull().defaultNow()

/** The sellers: the shops on this server. */
export const sellers = pgTable('sellers', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  /** An IANA time zone such as Europe/Amsterdam. It determines the day of a check-in. */
  timeZone: text('time_zone').notNull().default('UTC'),
  /** Whether users without two-factor authentication have to set it up first. */
  requiresTwoFactor: boolean('requires_two_factor').notNull().default(false),
  /** A compact key that identifies the seller in the search text tables. */
  number: integer('number').notNull().unique().generatedByDefaultAsIdentity(),
  createdAt: createdAt(),
})

export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    /** Normalized by `normalizeEmail`. */
    email: text('email').notNull(),
    /** An argon2id hash in PHC format. */
    passwordHash: text('password_hash').notNull(),
    role: text('role', { enum: ['owner', 'staff', 'door'] }).notNull(),
    createdAt: createdAt(),
    /** When the user was disabled. Disabled users cannot sign in, and their sessions are invalid. */
    disabledAt: instant('disabled_at'),
    /** The user's dashboard preferences, such as visible table columns. */
    preferences: jsonText('preferences').notNull().default('{}'),
  },
  // A person can be a user of several sellers, with a separate password for each.
  (t) => [uniqueIndex('users_email').on(t.email, t.sellerId), index('users_seller').on(t.sellerId)],
)

/** A user's second factor: the secret for time-based one-time passwords (RFC 6238) and recovery codes. */
export const twoFactors = pgTable('two_factors', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id),
  /** In base32, encrypted. */
  secret: bytes('secret').notNull(),
  /** The time step of the last accepted code, stored so that each code is accepted only once. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull(),
  /** SHA-256 of each unused recovery code, in hexadecimal. */
  recoveryHashes: text('recovery_hashes').array().notNull(),
  createdAt: createdAt(),
})

/** A signed-in browser. The cookie refers to this row, so the session can be revoked. */
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

/**
 * Recent failed sign-ins per subject, such as a user or IP address, which delay later attempts. An attempt counts as failed until it
 * succeeds.
 */
export const signInFailures = pgTable('sign_in_failures', {
  /** SHA-256 of the subject, so that no email or IP addresses are stored in plain text. */
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
    /** SHA-256 of the key; the key itself is not stored. */
    hash: bytes('hash').notNull(),
    createdAt: createdAt(),
    /** When the key expires: at its own expiry, or at the end of the overlap after a rotation. Null if it never expires. */
    expiresAt: instant('expires_at'),
    /** The key's own expiry, which its replacements inherit, or `infinity` if it had none. Null if the key was not rotated. */
    originalExpiresAt: instant('original_expires_at'),
    revokedAt: instant('revoked_at'),
    lastUsedAt: instant('last_used_at'),
    /** The end of the last pause for guessing ticket codes. Unknown codes sent before then no longer count as guesses. */
    pausedUntil: instant('paused_until'),
  },
  (t) => [uniqueIndex('api_keys_hash').on(t.hash), index('api_keys_seller').on(t.sellerId)],
)

/** Checkout pages: products and events. */
export const pages = pgTable(
  'pages',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: text('id').notNull(),
    name: text('name').notNull(),
    entryPolicy: text('entry_policy', { enum: ['single', 'reentry', 'multiple'] })
      .notNull()
      .default('single'),
    /** The start and end of an event; null if unknown. */
    startsAt: instant('starts_at'),
    endsAt: instant('ends_at'),
    /** The maximum number of people inside; null if unlimited. */
    capacity: integer('capacity'),
    /** Whether devices may admit guests offline, and whether their ticket lists include guest names and can be searched by name. */
    offlineAdmission: boolean('offline_admission').notNull().default(true),
    offlineNames: boolean('offline_names').notNull().default(true),
    offlineSearch: boolean('offline_search').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.id] })],
)
