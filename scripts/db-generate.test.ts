/** Tests that the triggers in the migrations match each resource's search fields and gateway ID in the catalog. */
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { database } from '@/db/client'
import { resources } from '@/lib/catalog'
import type { Resource } from '@/lib/catalog/resource'
import { withOwnDatabase } from '@/testing/own-database'

withOwnDatabase()

/** Returns a nested object with the value at a path such as `billing.name`. */
const nest = (path: string, value: string): Record<string, unknown> => {
  const [member = '', ...rest] = path.split('.')
  return { [member]: rest.length > 0 ? nest(rest.join('.'), value) : value }
}

it.each(Object.values(resources) as Resource[])(
  '$name are searchable by the members declared in the catalog and by gateway ID',
  async ({ name, table, search, gatewayId }) => {
    const paths = Object.keys(search)
    const record = Object.assign(
      { sellerId: 's1', id: 'r1', createdAt: '2026-01-02T03:04:05.000Z' },
      ...paths.map((path) => nest(path, `The ${path}`)),
      gatewayId && { [gatewayId]: 'gw_1' },
    )
    const [row] = await database().use(({ rows }) =>
      rows<{ search: string; gateway: string | null }>(sql`
      insert into ${table} (seller_id, record) values ('s1', ${JSON.stringify(record)}::text::json) returning search, gateway_id as gateway`),
    )
    const message = `The triggers of ${name} do not match the catalog. Regenerate its migration (see CONTRIBUTING.md, “Add a resource”)`
    expect(row, message).toEqual({
      search: paths.map((path) => `the ${path}`.toLowerCase()).join('\u0001'),
      gateway: gatewayId ? 'gw_1' : null,
    })
  },
)
