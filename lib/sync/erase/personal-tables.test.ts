/** Every table must be listed with whether it can hold personal data. The erasure test fills those that can. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { ERASED_TABLES, OTHER_TABLES } from '@/testing/personal-tables'
import { openTestDatabase } from '@/testing/seller'

beforeAll(openTestDatabase)

it('every table is either covered by erasure or declared free of personal data', async () => {
  const tables = await database().use(({ rows }) =>
    rows<{ name: string }>(sql`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`),
  )
  // The tables of searched texts are copies that triggers keep equal to their table.
  const names = tables.map(({ name }) => name).filter((name) => !name.endsWith('_texts'))
  const message =
    'Add the table to testing/personal-tables.ts. If it can hold personal data, extend eraseCustomer and the test that fills every table. Do not add a resource with customerEmail, customerId or billing, which is erased like the others.'
  expect(names.sort(), message).toEqual([...ERASED_TABLES, ...Object.keys(OTHER_TABLES)].sort())
})
