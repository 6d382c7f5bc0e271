/** How a person likes to see the dashboard: kept with their user, so that it is so on every device of theirs. */
import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { users } from '@/db/schema'
import type { ResourceName } from '../catalog'

/** Which columns of a table are shown, by their keys; one that is not named is as its resource declares it. */
export type ShownColumns = Record<string, boolean>

/** What other parts of the dashboard keep here stays as it is. */
const preferences = z.looseObject({ columns: z.record(z.string(), z.record(z.string(), z.boolean())).optional() })

async function read(query: Promise<{ preferences: string }[]>): Promise<z.output<typeof preferences>> {
  const [row] = await query
  return preferences.parse(JSON.parse(row?.preferences ?? '{}'))
}

/** The columns that this person has chosen for a table; empty where they have chosen none. */
export async function shownColumns(userId: string, resource: ResourceName): Promise<ShownColumns> {
  const { columns } = await database().use(({ rows }) =>
    read(rows(sql`select ${users.preferences}::text as preferences from ${users} where ${users.id} = ${userId}`)),
  )
  return columns?.[resource] ?? {}
}

/** Keeps a choice; those of other tables, and what else is kept, stay. Two tabs may do so at once. */
export async function keepColumns(userId: string, resource: ResourceName, shown: ShownColumns): Promise<void> {
  await database().transaction(async ({ rows, orm }) => {
    const before = await read(
      rows(sql`select ${users.preferences}::text as preferences from ${users} where ${users.id} = ${userId} for update`),
    )
    const after = { ...before, columns: { ...before.columns, [resource]: { ...before.columns?.[resource], ...shown } } }
    await orm
      .update(users)
      .set({ preferences: JSON.stringify(after) })
      .where(eq(users.id, userId))
  })
}
