/** The names of products. Orders reference products by ID. */
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { sellers } from './tenants'

export const products = pgTable(
  'products',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: text('id').notNull(),
    name: text('name').notNull(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.id] })],
)
