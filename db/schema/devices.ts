/** Check-in devices: browsers that can check in guests without a signed-in user. */
import { index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { sellers, users } from './tenants'
import { bytes, instant } from './types'

export const devices = pgTable(
  'devices',
  {
    id: text('id').primaryKey(),
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    name: text('name').notNull(),
    /** The IDs of the events that the device checks in guests for; empty for all events. */
    pageIds: text('page_ids').array().notNull(),
    /** What the device may do in addition to scanning. */
    rights: text('rights').array().notNull(),
    createdBy: text('created_by')
      .notNull()
      .references(() => users.id),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
    /** SHA-256 of the setup code; the code itself is not stored. */
    codeHash: bytes('code_hash').notNull(),
    codeExpiresAt: instant('code_expires_at').notNull(),
    /** When the device was set up. Null until then. */
    enrolledAt: instant('enrolled_at'),
    /** SHA-256 of the token in the browser's cookie. Null until the device is set up. */
    tokenHash: bytes('token_hash'),
    revokedAt: instant('revoked_at'),
    /** When the device last sent a request other than an upload of offline scans. Written at most once a minute. */
    lastSeenAt: instant('last_seen_at'),
    /**
     * When the device's ticket list was last complete and up to date, and what the device reported when the last update started: its
     * number of unsent scans and how far its clock was ahead.
     */
    listedAt: instant('listed_at'),
    unsentScans: integer('unsent_scans').notNull().default(0),
    clockOffsetMs: integer('clock_offset_ms'),
  },
  (t) => [
    uniqueIndex('devices_code').on(t.codeHash),
    uniqueIndex('devices_token').on(t.tokenHash),
    index('devices_seller').on(t.sellerId, t.createdAt),
  ],
)
