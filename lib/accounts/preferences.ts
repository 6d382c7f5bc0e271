/** Reads and stores a user's dashboard preferences. They are stored with the user, so that they apply on every device. */
import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { users } from '@/db/schema'
import type { ResourceName } from '../catalog'

/** The dashboard's tables. */
export type TableName = ResourceName | 'tickets'

/** The visibility of a table's columns, by column key. Absent columns use the catalog's default. */
export type ShownColumns = Record<string, boolean>

/** A loose schema, so that preferences of other features are preserved. */
const preferences = z.looseObject({ columns: z.record(z.string(), z.record(z.string(), z.boolean())).optional() })

async function parseFirst(query: Promise<{ preferences: string }[]>): Promise<z.output<typeof preferences>> {
  const [row] = await query
  return preferences.parse(JSON.parse(row?.preferences ?? '{}'))
}

/** Returns which columns a user has chosen to show or hide in a table. Empty by default. */
export async function readColumns(userId: string, table: TableName): Promise<ShownColumns> {
  const { columns } = await parseFirst(
    database().query(sql`select ${users.preferences}::text as preferences from ${users} where ${users.id} = ${userId}`),
  )
  return columns?.[table] ?? {}
}

/** Stores which columns to show or hide, without changing other columns and preferences. Safe for concurrent calls. */
export async function saveColumns(userId: string, table: TableName, shown: ShownColumns): Promise<void> {
  await database().transaction(async ({ rows, orm }) => {
    const before = await parseFirst(
      rows(sql`select ${users.preferences}::text as preferences from ${users} where ${users.id} = ${userId} for update`),
    )
    const after = { ...before, columns: { ...before.columns, [table]: { ...before.columns?.[table], ...shown } } }
    await orm
      .update(users)
      .set({ preferences: JSON.stringify(after) })
      .where(eq(users.id, userId))
  })
}
