/** Tests every resource in the catalog from import to export. New resources are included automatically. */
import { expect, it } from 'vitest'
import { RESOURCE_NAMES, type ResourceName, resources } from '@/lib/catalog'
import type { Filters } from '@/lib/catalog/resource'
import type { Route } from '@/lib/http/methods'
import { exportRecords } from '@/lib/sync/export/export'
import { importLines, importText, makeKey, makeSeller, minimal, searchedMembers } from '@/testing/seller'

type ListResponse = { total: number; code?: string; data: { id: string }[] }

/** Returns a function that calls a resource's list route with an API key that may read only this resource. */
async function openList(name: ResourceName, seller: string): Promise<(query?: string) => Promise<ListResponse>> {
  const { key } = await makeKey(seller, `${name}:read`)
  const { GET } = (await import(`./${name}/route.ts`)) as Route
  return async (query = '') => {
    const response = await GET(new Request(`http://x/v1/${name}?${query}`, { headers: { Authorization: `Bearer ${key}` } }))
    return (await response.json()) as ListResponse
  }
}

async function exportText(name: ResourceName, seller: string): Promise<string> {
  const lines: string[] = []
  for await (const line of exportRecords(name, seller)) lines.push(line)
  return lines.join('\n')
}

it.each(RESOURCE_NAMES)('imports, lists, searches, filters and exports %s', async (name) => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const { status: statuses = [] }: Filters = resources[name].filters
  const searchable = searchedMembers(name).map((member, index) => minimal(name, member(`Needle ${index}`)))
  const filtered = statuses.map((status) => minimal(name, { status }))
  const lines = [...searchable, ...filtered]
  expect(await importLines(name, seller, lines)).toMatchObject({ written: lines.length, rejects: [] })

  const list = await openList(name, seller)
  expect((await list('limit=100')).total).toBe(lines.length)
  expect(searchable.length).toBeGreaterThan(0)
  for (const [index, line] of searchable.entries()) {
    expect((await list(`search=needle+${index}`)).data.map(({ id }) => id)).toEqual([line.id])
  }
  for (const [index, status] of statuses.entries()) {
    expect((await list(`limit=100&status=${status}`)).data.map(({ id }) => id)).toContain(filtered[index]?.id)
  }
  expect((await list('status=no-such-status')).code).toBe(statuses.length > 0 ? 'parameter_invalid' : 'parameter_unknown')

  const text = await exportText(name, seller)
  expect(await importText(name, other, text)).toMatchObject({ written: lines.length, rejects: [] })
  expect(await exportText(name, other)).toBe(text)
})
