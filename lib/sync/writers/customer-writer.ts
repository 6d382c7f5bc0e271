/** Writes customers like other records, and stores where they last came from. */
import { sql } from 'drizzle-orm'
import type { customers as table } from '@/db/schema'
import { resources } from '../../catalog'
import { textArray } from '../../core/sql'
import { recordWriter } from './record-writer'

/** What a customer was last written from, such as `import`. */
export type CustomerSource = (typeof table.$inferSelect)['source']

const basicWriter = recordWriter(resources.customers)

/** Returns the writer for customers. @param source where the customers come from */
export const customerWriter = (source: CustomerSource): typeof basicWriter => ({
  ...basicWriter,
  async write(connection, seller, rows) {
    const result = await basicWriter.write(connection, seller, rows)
    await connection.rows(sql`
      update customers set source = ${source}
      where seller_id = ${seller} and id = any(${textArray(rows.map(({ id }) => id))}) and source <> ${source}`)
    return result
  },
})
