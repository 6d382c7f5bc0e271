/** Every table is listed as covered by erasures or as free of personal data. The erasure test fills every covered table. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { ERASED_TABLES, OTHER_TABLES } from '@/testing/personal-tables'
import { openTestDatabase } from '@/testing/seller'

beforeAll(openTestDatabase)

it('every table is listed either as covered by erasures or as free of personal data', async () => {
  const tables = await database().use(({ rows }) =>
    rows<{ name: string }>(sql`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`),
  )
  // These tables contain copies of the records' search texts, which triggers keep up to date.
  const names = tables.map(({ name }) => name).filter((name) => !name.endsWith('_texts'))
  const message =
    'The tables in the database and in testing/personal-tables.ts differ. Add each new table to that file. If it can hold personal data, extend eraseCustomer and the test that fills every table. A resource with one of the fields in PERSONAL_FIELDS needs no entry: ERASED_TABLES includes it.'
  expect(names.sort(), message).toEqual([...ERASED_TABLES, ...Object.keys(OTHER_TABLES)].sort())
})
