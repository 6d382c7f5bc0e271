/** Tests every list in the same way: pages neither skip nor repeat records, filters are exact, and sellers are isolated. */
import { SCOPES } from '@/lib/accounts/scopes'
import { type ResourceName, resources } from '@/lib/catalog'
import type { Filters, Resource } from '@/lib/catalog/resource'
import { newObjectId } from '@/lib/core/object-id'
import { type Line, minimal, searchedMembers } from '@/testing/seller'
import { type Api, type ApiResponse, expect, expectError, expectHeaders, test } from '../support/api'

const names = Object.keys(resources) as ResourceName[]

/** Members that every record in the list has, with the values that an import sets if they are missing. */
const DEFAULTS: Partial<Record<ResourceName, Line>> = {
  coupons: { timesRedeemed: 0, deleted: false },
  payments: { taxBreakdown: [] },
  bookings: { taxBreakdown: [], tickets: [] },
}

/** Text members that are not searchable. */
const UNSEARCHABLE = ['sku', 'sessionId', 'customerId', 'gatewayCouponId', 'phone']
const PAGE_ID = 'abcdefabcdefabcdefabcdef'

/**
 * Returns records in list order, in groups of five with the same `createdAt`.
 *
 * @param getMembers returns additional members for the record at an index, where a higher index means the same or a later `createdAt`
 */
function makeRecords(resource: ResourceName, count: number, getMembers: (i: number) => Line = () => ({})): Line[] {
  const lines = Array.from({ length: count }, (_, i) =>
    minimal(resource, { createdAt: new Date(Date.UTC(2026, 4, 1) + Math.floor(i / 5) * 1000).toISOString(), ...getMembers(i) }),
  )
  return lines.sort((a, b) => (`${a.createdAt}${a.id}` < `${b.createdAt}${b.id}` ? 1 : -1))
}

const listIds = ({ json }: ApiResponse) => json.data.map(({ id }) => String(id))

/**
 * Reads all pages in one direction.
 *
 * @param from the first cursor; without one, starts at the first page
 * @returns the IDs in list order
 */
async function readPages(api: Api, resource: ResourceName, cursor: 'starting_after' | 'ending_before', query: string, from?: string) {
  const ids: string[] = []
  let next = from
  for (;;) {
    const response = await api.call(`/v1/${resource}?${query}${next ? `&${cursor}=${next}` : ''}`)
    expect(response.status, response.text).toBe(200)
    const page = listIds(response)
    if (cursor === 'starting_after') ids.push(...page)
    else ids.unshift(...page)
    if (!response.json.has_more) return ids
    next = cursor === 'starting_after' ? page.at(-1) : page[0]
  }
}

for (const resource of names) {
  test.describe(resource, () => {
    test('paging in either direction returns every record once and in order, even if many share a createdAt', async ({ api }) => {
      const lines = makeRecords(resource, 23)
      const order = lines.map(({ id }) => String(id))
      await api.load(resource, lines)
      for (const limit of [1, 2, 7, 23, 100]) {
        expect(await readPages(api, resource, 'starting_after', `limit=${limit}`)).toEqual(order)
        // Paging backward from the last record returns all the others.
        expect(await readPages(api, resource, 'ending_before', `limit=${limit}`, order.at(-1))).toEqual(order.slice(0, -1))
      }
      const previous = await api.call(`/v1/${resource}?limit=3&ending_before=${order[10]}`)
      expect(listIds(previous)).toEqual(order.slice(7, 10))
      expect(previous.json).toMatchObject({ has_more: true, total: 23 })
      expect((await api.call(`/v1/${resource}?limit=3&ending_before=${order[3]}`)).json.has_more).toBe(false)
      expect((await api.call(`/v1/${resource}?limit=3&ending_before=${order[0]}`)).json).toEqual({ has_more: false, total: 23, data: [] })
      expect((await api.call(`/v1/${resource}?starting_after=${order.at(-1)}`)).json).toEqual({ has_more: false, total: 23, data: [] })
    })

    test('paging neither skips nor repeats a record while others are added', async ({ api }) => {
      const lines = makeRecords(resource, 40)
      const order = lines.map(({ id }) => String(id))
      await api.load(resource, lines)
      const ids: string[] = []
      for (let next: string | undefined; ; ) {
        const response = await api.call(`/v1/${resource}?limit=4${next ? `&starting_after=${next}` : ''}`)
        ids.push(...listIds(response))
        if (!response.json.has_more) break
        next = ids.at(-1)
        // Add a record that is newer than all others, one with the cursor's createdAt, and one that is older than all others.
        const cursorTime = (lines.find(({ id }) => id === next) ?? lines[0])?.createdAt
        await api.load(resource, [
          minimal(resource, { createdAt: '2026-09-01T00:00:00.000Z' }),
          minimal(resource, { createdAt: cursorTime }),
          minimal(resource, { createdAt: '2025-01-01T00:00:00.000Z' }),
        ])
      }
      expect(ids.filter((id) => order.includes(id))).toEqual(order)
      expect(new Set(ids).size).toBe(ids.length)
    })

    test('a page has 20 records by default, and its total counts all pages', async ({ api }) => {
      const empty = await api.call(`/v1/${resource}`)
      expect(empty.text).toBe('{"has_more":false,"total":0,"data":[]}')
      expectHeaders(empty)
      const lines = makeRecords(resource, 101)
      await api.load(resource, lines)
      expect((await api.call(`/v1/${resource}`)).json.data).toHaveLength(20)
      for (const query of ['', '?limit=100', '?limit=1', `?starting_after=${lines[99]?.id}`, `?ending_before=${lines[50]?.id}`]) {
        expect((await api.call(`/v1/${resource}${query}`)).json.total).toBe(101)
      }
      expect((await api.call(`/v1/${resource}?limit=100`)).json).toMatchObject({ has_more: true })
    })

    test('invalid, repeated and unknown parameters are rejected, while empty ones are ignored', async ({ api }) => {
      await api.load(resource, makeRecords(resource, 2))
      for (const limit of ['1', '100', '007', '']) expect((await api.call(`/v1/${resource}?limit=${limit}`)).status, limit).toBe(200)
      for (const limit of ['0', '101', '-1', '1.5', '1e1', 'ten', '%20', '+5', '٣', '99999999999999999999', '0x10']) {
        expectError(await api.call(`/v1/${resource}?limit=${limit}`), 400, 'parameter_invalid', 'limit')
      }
      for (const cursor of ['starting_after', 'ending_before']) {
        for (const bad of ['x', 'g'.repeat(24), 'a'.repeat(23), 'a'.repeat(25), `${'a'.repeat(24)}%0A`]) {
          expectError(await api.call(`/v1/${resource}?${cursor}=${bad}`), 400, 'parameter_invalid', cursor)
        }
        expect((await api.call(`/v1/${resource}?${cursor}=`)).status).toBe(200)
      }
      const term = encodeURIComponent('𝄞'.repeat(200))
      expect((await api.call(`/v1/${resource}?search=${term}`)).json.total).toBe(0)
      for (const bad of [`${term}a`, '%00', '%0A', 'a%7F', '%C2%85']) {
        expectError(await api.call(`/v1/${resource}?search=${bad}`), 400, 'parameter_invalid', 'search')
      }
      const both = await api.call(`/v1/${resource}?starting_after=${'a'.repeat(24)}&ending_before=${'b'.repeat(24)}`)
      expectError(both, 400, 'parameters_exclusive', 'ending_before')
      for (const twice of ['limit=1&limit=1', 'search=a&search=', 'li%6Dit=1&limit=2']) {
        expectError(await api.call(`/v1/${resource}?${twice}`), 400, 'parameter_repeated', twice.startsWith('search') ? 'search' : 'limit')
      }
      for (const [query, name] of [
        ['Limit=1', 'Limit'],
        ['search[]=a', 'search[]'],
        ['foo', 'foo'],
        ['offset=', 'offset'],
        ['sort=-amount', 'sort'],
      ] as const) {
        expectError(await api.call(`/v1/${resource}?${query}`), 400, 'parameter_unknown', name)
      }
    })

    test('another seller’s cursor and an unknown cursor get the same response', async ({ api, another }) => {
      const other = await another()
      const [theirs] = makeRecords(resource, 1)
      await other.load(resource, [theirs ?? {}])
      for (const cursor of ['starting_after', 'ending_before']) {
        const foreign = await api.call(`/v1/${resource}?${cursor}=${theirs?.id}`)
        const unknown = newObjectId()
        const missing = await api.call(`/v1/${resource}?${cursor}=${unknown}`)
        expectError(foreign, 400, 'resource_missing', cursor)
        expectError(missing, 400, 'resource_missing', cursor)
        const strip = ({ text, json }: ApiResponse, id: unknown) => text.replaceAll(String(id), 'ID').replace(String(json.requestId), 'REQ')
        expect(strip(foreign, theirs?.id)).toBe(strip(missing, unknown))
      }
    })

    test('cursors are case-insensitive', async ({ api }) => {
      const lines = makeRecords(resource, 3)
      await api.load(resource, lines)
      const response = await api.call(`/v1/${resource}?starting_after=${String(lines[0]?.id).toUpperCase()}`)
      expect(listIds(response)).toEqual(lines.slice(1).map(({ id }) => id))
    })

    test('lists and searches never return another seller’s records', async ({ api, another }) => {
      const other = await another()
      const [mine, theirs] = [makeRecords(resource, 30), makeRecords(resource, 30)]
      await api.load(resource, mine)
      await other.load(resource, theirs)
      const field = resource === 'coupons' ? 'code' : 'orderId'
      const { text } = await api.call(`/v1/${resource}?limit=100`)
      for (const line of theirs) {
        expect(text).not.toContain(String(line.id))
        const { json } = await api.call(`/v1/${resource}?search=${encodeURIComponent(String(line[field] ?? line.id))}`)
        expect(json.data.filter(({ sellerId }) => sellerId !== api.seller)).toEqual([])
      }
      expect(text).not.toContain(other.seller)
      expect((await api.call(`/v1/${resource}?limit=100`)).json.total).toBe(30)
    })

    test('requires the list’s scope or full access', async ({ api }) => {
      for (const scope of SCOPES) {
        const response = await api.call(`/v1/${resource}`, { key: await api.keyWith(scope) })
        if (scope === 'full' || scope === `${resource}:read`) expect(response.status).toBe(200)
        else expectError(response, 403, 'scope_missing')
      }
    })

    test('returns the members that are always present, and no null values', async ({ api }) => {
      const line = minimal(resource)
      await api.load(resource, [line])
      const { text, json } = await api.call(`/v1/${resource}`)
      expect(json.data).toEqual([{ ...line, ...DEFAULTS[resource], sellerId: api.seller, updatedAt: line.createdAt }])
      expect(text).not.toContain('null')
    })
  })
}

for (const resource of names) {
  test.describe(`a search of ${resource}`, () => {
    const find = async (api: Api, term: string) => listIds(await api.call(`/v1/${resource}?limit=100&search=${encodeURIComponent(term)}`))

    test('matches a term anywhere in the searchable members, and in no others', async ({ api }) => {
      const lines = searchedMembers(resource).map((field) => minimal(resource, field('xx-Needle-yy')))
      const { shape } = resources[resource].record
      const unsearched = Object.fromEntries(UNSEARCHABLE.filter((name) => name in shape).map((name) => [name, 'xx-Needle-yy']))
      await api.load(resource, [...lines, minimal(resource, unsearched)])
      for (const term of ['needle', 'NEEDLE', 'xx-', '-yy', 'N', 'ee']) {
        const found = await find(api, term)
        for (const { id } of lines) expect(found, term).toContain(id)
      }
      expect(await find(api, 'xx-needle-yy')).toHaveLength(lines.length)
    })

    test('treats %, _ and \\ as literal characters', async ({ api }) => {
      const [field] = searchedMembers(resource)
      if (!field) throw new Error('This resource has no searchable members.')
      const values = ['a%b', 'a_b', 'a\\b', 'axb', "a'b", 'a"b', 'a\\%b', 'a;b--']
      const lines = values.map((value) => minimal(resource, field(value)))
      await api.load(resource, lines)
      for (const [i, value] of values.entries()) expect(await find(api, value), value).toEqual([lines[i]?.id])
      expect(await find(api, 'a%')).toEqual([lines[0]?.id])
      expect(await find(api, '\\')).toEqual([lines[6]?.id, lines[2]?.id].sort().reverse())
    })

    test('is case-insensitive in every script', async ({ api }) => {
      const [field] = searchedMembers(resource)
      if (!field) throw new Error('This resource has no searchable members.')
      const pairs = [
        ['ÅNGSTRÖM', 'ångström'],
        ['ЖУК', 'жук'],
        ['ΟΔΟΣ', 'οδος'],
        ['Straße', 'STRAẞE'],
        ['ƏLI', 'əli'],
        ['𐐀𐐁', '𐐨𐐩'],
        ['日本', '日本'],
      ] as const
      const lines = pairs.map(([value]) => minimal(resource, field(`«${value}»`)))
      await api.load(resource, lines)
      for (const [i, [value, other]] of pairs.entries()) {
        expect(await find(api, value), value).toEqual([lines[i]?.id])
        expect(await find(api, other), other).toEqual([lines[i]?.id])
      }
    })

    test('never matches across two members', async ({ api }) => {
      const [first, second] = searchedMembers(resource)
      if (!first || !second) throw new Error('This test requires two searchable members.')
      await api.load(resource, [minimal(resource, { ...first('left'), ...second('right') })])
      for (const term of ['leftright', 'left right', 'tr', 'ft\u00a0ri']) expect(await find(api, term)).toEqual([])
    })

    test('has an exact total and can be paged through like any list', async ({ api }) => {
      const [field] = searchedMembers(resource)
      const lines = makeRecords(resource, 30, (i) => (i % 3 === 0 ? (field?.(`wanted ${i}`) ?? {}) : {}))
      await api.load(resource, lines)
      const expectedIds = lines.filter((line) => JSON.stringify(line).includes('wanted')).map(({ id }) => String(id))
      expect(await readPages(api, resource, 'starting_after', 'search=WANTED&limit=3')).toEqual(expectedIds)
      expect((await api.call(`/v1/${resource}?search=wanted&limit=1`)).json.total).toBe(expectedIds.length)
    })
  })
}

for (const resource of names) {
  const { status: statuses, pageId: hasPages }: Filters = resources[resource].filters
  if (!statuses) continue
  test.describe(`the filters of ${resource}`, () => {
    test('accept each status of the resource and reject any other', async ({ api }) => {
      await api.load(
        resource,
        statuses.map((status) => minimal(resource, { status })),
      )
      for (const status of statuses) {
        const { json } = await api.call(`/v1/${resource}?status=${status}`)
        expect(json).toMatchObject({ total: 1, data: [{ status }] })
      }
      for (const bad of ['PAID', 'active%20', 'nope', 'paid,failed'])
        expectError(await api.call(`/v1/${resource}?status=${bad}`), 400, 'parameter_invalid', 'status')
      expect((await api.call(`/v1/${resource}?status=`)).json.total).toBe(statuses.length)
    })

    test('can be combined, and return an empty list for an unknown pageId', async ({ api }) => {
      const [status, otherStatus] = statuses
      const [field] = searchedMembers(resource)
      const lines = makeRecords(resource, 24, (i) => ({
        status: i % 2 ? status : otherStatus,
        ...field?.(`u${i % 3}@example.com`),
        ...(hasPages && i % 4 < 2 ? { pageId: PAGE_ID } : {}),
      }))
      await api.load(resource, lines)
      const expectedIds = lines
        .filter(
          (line) => line.status === status && (!hasPages || line.pageId === PAGE_ID) && JSON.stringify(line).includes('u1@example.com'),
        )
        .map(({ id }) => String(id))
      expect(expectedIds.length).toBeGreaterThan(1)
      const query = `status=${status}&search=U1@&limit=1${hasPages ? `&pageId=${PAGE_ID.toUpperCase()}` : ''}`
      expect(await readPages(api, resource, 'starting_after', query)).toEqual(expectedIds)
      expect((await api.call(`/v1/${resource}?${query}`)).json.total).toBe(expectedIds.length)
      if (!hasPages) return
      expect((await api.call(`/v1/${resource}?pageId=${newObjectId()}`)).json).toEqual({ has_more: false, total: 0, data: [] })
      expectError(await api.call(`/v1/${resource}?pageId=home`), 400, 'parameter_invalid', 'pageId')
    })

    test('accept a cursor whose record no longer matches them', async ({ api }) => {
      const [status, otherStatus] = statuses
      const lines = makeRecords(resource, 12, () => ({ status }))
      const order = lines.map(({ id }) => String(id))
      await api.load(resource, lines)
      const first = listIds(await api.call(`/v1/${resource}?status=${status}&limit=4`))
      expect(first).toEqual(order.slice(0, 4))
      const changed = lines[3]
      await api.load(resource, [{ ...changed, status: otherStatus }])
      expect(await readPages(api, resource, 'starting_after', `status=${status}&limit=4`, String(changed?.id))).toEqual(order.slice(4))
      expect(listIds(await api.call(`/v1/${resource}?status=${status}&ending_before=${changed?.id}`))).toEqual(order.slice(0, 3))
    })
  })
}

for (const resource of names) {
  const { secrets }: Resource = resources[resource]
  if (secrets.length === 0) continue
  test(`${resource} return secrets only to keys with full access or secrets:read`, async ({ api }) => {
    const secret = 'pi_1_secret_CANARY'
    const secretMembers = Object.fromEntries(secrets.map((name) => [name, secret]))
    const line = minimal(resource)
    await api.load(resource, [{ ...line, ...secretMembers }])
    const plain = await api.call(`/v1/${resource}`, { key: await api.keyWith(`${resource}:read`) })
    expect(plain.text).not.toContain('CANARY')
    expect(plain.json.data).toMatchObject([line])
    for (const key of [api.key, await api.keyWith(`${resource}:read`, 'secrets:read')]) {
      expect((await api.call(`/v1/${resource}`, { key })).json.data).toMatchObject([{ ...line, ...secretMembers }])
    }
  })
}

test('coupons cannot be filtered by status or pageId', async ({ api }) => {
  expectError(await api.call('/v1/coupons?status=paid'), 400, 'parameter_unknown', 'status')
  expectError(await api.call(`/v1/coupons?pageId=${PAGE_ID}`), 400, 'parameter_unknown', 'pageId')
})

test('a list includes records in live mode and in test mode', async ({ api }) => {
  await api.load('payments', [minimal('payments', { livemode: true }), minimal('payments', { livemode: false })])
  expect((await api.call('/v1/payments')).json.total).toBe(2)
})
