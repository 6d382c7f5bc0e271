/** Users' saved views of the dashboard's tables. */
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
    /** Whether all of the seller's users can see the view. */
    isShared: boolean('is_shared').notNull(),
    name: text('name').notNull(),
    /** The table that the view belongs to, such as `payments`. */
    resource: text('resource').notNull(),
    /** The view's query parameters. Searches can contain personal data. */
    query: text('query').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  // Index a digest, because a query can be longer than an index entry.
  (t) => [primaryKey({ columns: [t.sellerId, t.id] }), uniqueIndex('saved_views_query').on(t.userId, t.resource, sql`md5(${t.query})`)],
)
