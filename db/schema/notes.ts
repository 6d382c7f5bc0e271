/** Users' notes about records. */
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { sellers } from './tenants'
import { instant } from './types'

export const recordNotes = pgTable(
  'record_notes',
  {
    sellerId: text('seller_id')
      .notNull()
      .references(() => sellers.id),
    id: text('id').notNull(),
    /** The record's resource, such as `payments`, and its ID. */
    resource: text('resource').notNull(),
    recordId: text('record_id').notNull(),
    /** The user who wrote the note. */
    userId: text('user_id').notNull(),
    text: text('text').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.sellerId, t.id] }), index('record_notes_record').on(t.sellerId, t.recordId, t.createdAt)],
)
