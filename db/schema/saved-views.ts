/** Views of the dashboard's tables that users have saved. */
import { sql } from 'drizzle-orm'
import { boolean, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { sellers, users } from './tenants'
import { instant } from './types'

export const savedViews = pgTable(
  'saved_views',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: text('id').notNull(),
    /** The user who saved the view. */
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** Whether all of the seller's users see the view. */
    isShared: boolean('is_shared').notNull(),
    name: text('name').notNull(),
    /** The table, such as `payments`. */
    resource: text('resource').notNull(),
    /** The table's query parameters. A search can contain personal data. */
    query: text('query').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  // A digest, because a query can be longer than an index entry.
  (t) => [primaryKey({ columns: [t.sellerId, t.id] }), uniqueIndex('saved_views_query').on(t.userId, t.resource, sql`md5(${t.query})`)],
)
