/** A user's dashboard preferences, stored with the user so that they apply on every device. */
import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { users } from '@/db/schema'
import type { ResourceName } from '../catalog'

/** The tables of the dashboard. */
export type TableName = ResourceName | 'tickets'

/** Visibility of a table's columns, by key. Absent columns have the catalog's default. */
export type ShownColumns = Record<string, boolean>

/** A loose schema, so that preferences of other features are preserved. */
const preferences = z.looseObject({ columns: z.record(z.string(), z.record(z.string(), z.boolean())).optional() })

async function read(query: Promise<{ preferences: string }[]>): Promise<z.output<typeof preferences>> {
  const [row] = await query
  return preferences.parse(JSON.parse(row?.preferences ?? '{}'))
}

/** Returns the columns that a user has chosen for a table. Empty by default. */
export async function shownColumns(userId: string, table: TableName): Promise<ShownColumns> {
  const { columns } = await database().use(({ rows }) =>
    read(rows(sql`select ${users.preferences}::text as preferences from ${users} where ${users.id} = ${userId}`)),
  )
  return columns?.[table] ?? {}
}

/** Stores a choice of columns without changing other preferences. Safe for concurrent calls. */
export async function saveColumns(userId: string, table: TableName, shown: ShownColumns): Promise<void> {
  await database().transaction(async ({ rows, orm }) => {
    const before = await read(
      rows(sql`select ${users.preferences}::text as preferences from ${users} where ${users.id} = ${userId} for update`),
    )
    const after = { ...before, columns: { ...before.columns, [table]: { ...before.columns?.[table], ...shown } } }
    await orm
      .update(users)
      .set({ preferences: JSON.stringify(after) })
      .where(eq(users.id, userId))
  })
}
