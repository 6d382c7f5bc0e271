/** Searches find every match, never return an outdated total, and do not read whole records to find matches. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, type Line, makeSeller, minimal } from '@/testing/seller'
import { captureStatements, explain } from '@/testing/statements'
import { resources } from '../catalog'
import type { ListParams } from '../catalog/list-params'
import { newObjectId } from '../core/object-id'
import { textArray } from '../core/sql'
import { toListQuery } from './list-query'
import { listRecords } from './list-records'
import { tablePosition } from './list-table'
import { listFrequencyTexts, rareParts, splitWords } from './search-matches'
import { countStatuses } from './table-facets'
import { toTableQuery } from './table-query'

const testDatabase = withOwnDatabase()
/** The trigram indexes of the partitions. */
const TRIGRAMS = /^payments_texts_\d+_text_names_idx$/
let large: string

/** Enough payments for PostgreSQL to read a page through an index. Only the 30 oldest contain the rare terms of two and three letters. */
const MANY = 8_000
const OLDEST = 30

/** Inserts payments. Only the first `OLDEST` contain the rare terms. */
const insertPayments = (seller: string, count: number) =>
  database().use(({ rows }) =>
    rows(sql`
      insert into payments (seller_id, record)
      select ${seller}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${seller}::text, 'amount', 100, 'taxBreakdown', '[]'::json, 'userAgent', repeat('wide ', 300),
        'status', case when n % 10 = 0 then 'failed' else 'paid' end, 'pageId', case when n % 100 = 0 then 'abcdefabcdefabcdefabcdef' end,
        'customerEmail', case when n <= ${OLDEST}::int then 'xy0' || n || '-rare@q.example' else 'guest' || n || '@host.example' end,
        'createdAt', to_char(timestamptz '2026-01-01' + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from generate_series(1, ${count}::int) as n`),
  )

beforeAll(async () => {
  large = await makeSeller()
  await insertPayments(large, MANY)
  // Another seller has the same IDs and texts. If a search ignored the seller, every total below would include them.
  const other = await makeSeller()
  await insertPayments(other, 2 * OLDEST)
  await importLines('payments', other, [minimal('payments', { orderId: `${'x'.repeat(3000)}needle${'é'.repeat(3000)}` })])
  await database().use(({ rows }) => rows(sql`vacuum (analyze) payments`))
})

const find = async (seller: string, params: Partial<ListParams>) => {
  const { rows, total, hasMore } = await listRecords(toListQuery(resources.payments, seller, { limit: 20, ...params }))
  return { ids: rows.map((record) => String((JSON.parse(record.toString()) as Line).id)), total, hasMore }
}

/** Reads a list page by page to its end and back. */
async function walk(seller: string, params: Partial<ListParams>): Promise<{ forward: string[]; backward: string[]; totals: Set<number> }> {
  const forward: string[] = []
  const totals = new Set<number>()
  for (let cursor: string | undefined; ; cursor = forward.at(-1)) {
    const { ids, total, hasMore } = await find(seller, { ...params, starting_after: cursor })
    forward.push(...ids)
    totals.add(total)
    if (!hasMore) break
  }
  const backward = forward.slice(-1)
  for (let hasMore = backward.length > 0; hasMore; ) {
    const page = await find(seller, { ...params, ending_before: backward[0] })
    backward.unshift(...page.ids)
    totals.add(page.total)
    hasMore = page.hasMore
  }
  return { forward, backward, totals }
}

describe('a search', () => {
  it('is counted once for parallel requests, and again after a record has changed', async () => {
    const params = { search: 'e', status: 'paid' } as const
    const countAll = async () => {
      const statements = await captureStatements(async () => {
        const pages = await Promise.all(Array.from({ length: 8 }, () => find(large, params)))
        expect(pages.map(({ total }) => total)).toEqual(Array(8).fill((MANY * 9) / 10))
      })
      return statements.filter(({ sql: text }) => /as version,.* as total$/s.test(text.trim())).length
    }
    expect(await countAll()).toBe(1)
    expect(await countAll()).toBe(0)
    await database().use(({ rows }) =>
      rows(
        sql`update payments set record = (record::jsonb || '{"amount":101}')::json where id = ${'1'.padStart(24, '0')} and seller_id = ${large}`,
      ),
    )
    expect(await countAll()).toBe(1)
  })

  it.each([
    ['example', MANY],
    ['e', MANY],
    ['xy0', OLDEST],
    ['xy', OLDEST],
    ['zq', 0],
    ['zqzqzq', 0],
    ['rare@q', OLDEST],
    ['guest79', 111],
    ['guest%', 0],
    ['guest_1', 0],
  ])('for %j finds all %i matches, page by page in both directions', async (search, matching) => {
    const limit = matching > 1000 ? 100 : 7
    const { forward, backward, totals } = await walk(large, { search, limit })
    expect(new Set(forward).size).toBe(matching)
    expect(forward).toEqual([...forward].sort().reverse())
    expect(backward).toEqual(forward)
    expect([...totals]).toEqual([matching])
  })

  it('finds all matches, whether or not their IDs are cached', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { forward, totals } = await walk(large, { search: 'guest7', limit: 100 })
      expect([forward.length, [...totals]]).toEqual([1110, [1110]])
    }
  })

  it.each([
    [{ status: 'failed' }, MANY / 10, 3],
    [{ pageId: 'abcdefabcdefabcdefabcdef' }, MANY / 100, 0],
    [{ status: 'failed', pageId: 'abcdefabcdefabcdefabcdef' }, MANY / 100, 0],
    [{ status: 'paid', pageId: 'abcdefabcdefabcdefabcdef' }, 0, 0],
  ])('applies the filters %j', async (filters, broad, rare) => {
    for (const [search, matching] of [
      ['example', broad],
      ['xy0', rare],
      ['xy', rare],
    ] as const) {
      const { forward, backward, totals } = await walk(large, { ...filters, search, limit: 100 })
      expect([forward.length, backward.length, [...totals]]).toEqual([matching, matching, [matching]])
    }
  })

  it('finds terms in a text that is too long for an index entry, in both a small and a large list', async () => {
    const seller = await makeSeller()
    const long = `${'x'.repeat(3000)}needle${'é'.repeat(3000)}`
    const longPayment = minimal('payments', { orderId: long, customerEmail: 'long@host.example' })
    await importLines('payments', seller, [longPayment, minimal('payments', { orderId: 'short' })])
    for (const search of ['needle', 'NEEDLE', 'ÉÉÉ', 'xn', 'long@host']) {
      expect(await find(seller, { search })).toEqual({ ids: [longPayment.id], total: 1, hasMore: false })
    }
    // IDs are unique only per seller: another seller's record with the same ID has a different text.
    const other = await makeSeller()
    await importLines('payments', other, [{ ...longPayment, orderId: `${long}theirs` }])
    expect(await find(seller, { search: 'theirs' })).toEqual({ ids: [], total: 0, hasMore: false })
    expect(await find(seller, { search: 'needle' })).toMatchObject({ ids: [longPayment.id], total: 1 })
    const old = minimal('payments', { orderId: long, createdAt: '2020-01-01T00:00:00.000Z' })
    await importLines('payments', large, [old])
    expect(await find(large, { search: 'needle' })).toEqual({ ids: [old.id], total: 1, hasMore: false })
    expect(await find(large, { search: 'xn' })).toEqual({ ids: [old.id], total: 1, hasMore: false })
    await database().use(({ rows }) => rows(sql`delete from payments where seller_id = ${large} and id = ${old.id}`))
  })

  it('never finds another seller’s records, even if their texts are in the same partition', async () => {
    const sellers = await Promise.all(Array.from({ length: 17 }, () => makeSeller()))
    const shared = await database().use(({ rows }) =>
      rows<{ ids: string[] }>(sql`
        select array_agg(id) as ids from sellers where id = any(${textArray(sellers)}) group by number % 16 order by count(*) desc limit 1`),
    )
    const [seller = '', other = ''] = shared[0]?.ids ?? []
    const line = minimal('payments', { customerEmail: 'mine-xyz@host.example', createdAt: '2020-01-01T00:00:00.000Z' })
    // More records than a window, so that all texts are searched.
    await insertPayments(seller, 2_100)
    await importLines('payments', seller, [line])
    await importLines('payments', other, [{ ...line, customerEmail: 'theirs-xyz@host.example' }, minimal('payments', { orderId: 'xyz' })])
    for (const search of ['xyz', 'xy', 'z@'])
      expect(await find(seller, { search, limit: 100 })).toMatchObject({ total: search === 'xy' ? OLDEST + 1 : 1 })
    expect(await find(seller, { search: 'theirs' })).toEqual({ ids: [], total: 0, hasMore: false })
    expect(await find(seller, { search: 'example' })).toMatchObject({ total: 2_101 })
    expect(await countStatuses(toTableQuery(resources.payments, seller, { limit: 1, search: 'xyz' }, 'UTC'))).toEqual({ paid: 1 })
  })

  it('returns the position of a record immediately only if few records come before it', async () => {
    const toId = (n: number) => n.toString(16).padStart(24, '0')
    const position = (seller: string, n: number, search?: string) => {
      const find = (isQuick: boolean) =>
        tablePosition(toTableQuery(resources.payments, seller, { limit: 20, search }, 'UTC'), n, toId(n), { isQuick })
      return Promise.all([find(true), find(false)])
    }
    expect(await position(large, MANY - 1_999, 'example')).toEqual([2_000, 2_000])
    expect(await position(large, MANY - 2_001, 'example')).toEqual([undefined, 2_002])
    const larger = await makeSeller()
    await insertPayments(larger, 10_002)
    expect(await position(larger, 2)).toEqual([10_001, 10_001])
    expect(await position(larger, 1)).toEqual([undefined, 10_002])
  })

  it('rejects an unknown cursor, and accepts the ID of a record that does not match', async () => {
    const [newest] = (await find(large, { limit: 1 })).ids
    for (const search of ['xy0', 'xy', 'zq', 'example']) {
      await expect(find(large, { search, starting_after: newObjectId() })).rejects.toMatchObject({
        code: 'resource_missing',
        param: 'starting_after',
      })
    }
    const after = await find(large, { search: 'xy0', starting_after: newest })
    expect([after.ids.length, after.total]).toEqual([20, OLDEST])
    expect(await find(large, { search: 'xy0', ending_before: newest })).toEqual({ ids: [], total: OLDEST, hasMore: false })
  })
})

describe('a cached total', () => {
  it.each(['guest', 'xy0', 'xy', 'zq'])('for %j is never outdated, no matter what changes the matches', async (search) => {
    const seller = large
    const before = (await find(seller, { search })).total
    expect((await find(seller, { search })).total).toBe(before)
    const added = minimal('payments', { customerEmail: `${search}-new@host.example`, createdAt: '2026-05-01T00:00:00.000Z' })
    await importLines('payments', seller, [added])
    expect(await find(seller, { search, limit: 1 })).toEqual({ ids: [added.id], total: before + 1, hasMore: before > 0 })
    // The counts stay the same here; only the text changes.
    await importLines('payments', seller, [{ ...added, customerEmail: 'none@host.example' }])
    expect((await find(seller, { search })).total).toBe(before)
    await importLines('payments', seller, [added])
    expect((await find(seller, { search, status: 'paid' })).total).toBe(
      (await find(seller, { search })).total - (await find(seller, { search, status: 'failed' })).total,
    )
    await database().use(({ rows }) => rows(sql`delete from payments where seller_id = ${seller} and id = ${added.id}`))
    expect((await find(seller, { search })).total).toBe(before)
  })

  it('is correct at all times during concurrent writes', async () => {
    const seller = await makeSeller()
    await importLines(
      'payments',
      seller,
      Array.from({ length: 40 }, () => minimal('payments', { customerEmail: 'many@host.example' })),
    )
    let isWriting = true
    const writer = (async () => {
      for (let round = 0; round < 60; round += 1)
        await importLines('payments', seller, [minimal('payments', { customerEmail: 'many@host.example' })])
      isWriting = false
    })()
    let min = 40
    while (isWriting) {
      // Nothing is deleted, so a search must include everything that was committed before it.
      const { total } = await find(seller, { search: 'many', limit: 1 })
      const [now] = await database().use(({ rows }) =>
        rows<{ records: number }>(sql`select count(*)::int as records from payments where seller_id = ${seller}`),
      )
      expect(total).toBeGreaterThanOrEqual(min)
      expect(total).toBeLessThanOrEqual(now?.records ?? 0)
      min = now?.records ?? 0
    }
    await writer
    expect((await find(seller, { search: 'many', limit: 1 })).total).toBe(100)
  })
})

describe('a search', () => {
  /** @param settings PostgreSQL settings, as the query string of a URL */
  const explainSearch = async (params: Partial<ListParams>, settings = '') => {
    const statements = await captureStatements(() => find(large, params))
    return {
      count: statements.length,
      plans: await Promise.all(statements.map((statement) => explain(testDatabase.url + settings, statement))),
    }
  }

  it('reads a page of a common term from the newest records, and the next page in one statement', async () => {
    await find(large, { search: 'example' })
    const last = (await find(large, { search: 'example' })).ids.at(-1)
    // The table is so small that reading and sorting all of it costs about as much as using the index.
    const { count, plans } = await explainSearch({ search: 'example', starting_after: last }, '?enable_seqscan=off')
    expect(count).toBe(1)
    const scan = plans[0]?.find((node) => node['Index Name'] === 'payments_order')
    // The inner limit is the maximum page size, so no more records are read.
    expect(scan?.['Actual Rows']).toBeLessThanOrEqual(101)
  })

  it('reads a rare term’s matches from the trigram index, and the next page by key in one statement', async () => {
    const { plans } = await explainSearch({ search: '-rare@q.exampl' }, '?enable_seqscan=off&enable_indexscan=off&enable_indexonlyscan=off')
    expect(plans.flat().map((node) => node['Index Name'])).toContainEqual(expect.stringMatching(TRIGRAMS))
    const last = (await find(large, { search: '-rare@q.exampl', limit: 5 })).ids.at(-1)
    const next = await explainSearch({ search: '-rare@q.exampl', limit: 5, starting_after: last })
    expect(next.count).toBe(1)
    expect(next.plans[0]?.map((node) => node['Index Name'])).not.toContainEqual(expect.stringMatching(TRIGRAMS))
  })

  it('for a term that fills its page, counts matches with the trigram index if the term is uncommon, and otherwise with a scan', async () => {
    const settings = '?enable_seqscan=off&enable_indexscan=off&enable_indexonlyscan=off'
    const indexes = async (search: string) => (await explainSearch({ search }, settings)).plans.flat().map((node) => node['Index Name'])
    // Of the newest 2,000 records, 99 contain `guest60`.
    expect(await indexes('guest60')).toContainEqual(expect.stringMatching(TRIGRAMS))
    expect(await find(large, { search: 'guest60' })).toMatchObject({ total: 111, hasMore: true })
    expect(await indexes('guest6')).not.toContainEqual(expect.stringMatching(TRIGRAMS))
    expect((await find(large, { search: 'guest6' })).total).toBe(1_110)
  })

  it('looks up only the rare trigrams of a term, and compares the whole term with the texts that they find', async () => {
    const statements = await captureStatements(() => find(large, { search: 'guest4321@HOST' }))
    // The newest records contain `guest` and `@host`.
    const lookups = statements.filter(({ params }) => params.includes('st4321@') && params.includes('guest4321@HOST'))
    expect(lookups).toHaveLength(1)
    expect(lookups[0]?.params).not.toContain('host')
    expect((await find(large, { search: 'guest4321@HOST' })).total).toBe(1)
    expect((await find(large, { search: 'guest4321@exam' })).total).toBe(0)
  })

  it.each([{}, { status: 'paid' }, { pageId: 'abcdefabcdefabcdefabcdef' }, { status: 'failed', pageId: 'abcdefabcdefabcdefabcdef' }])(
    'with the filters %j, reads only the seller’s compact texts and few records for a two-letter term without matches',
    async (filters) => {
      const { plans } = await explainSearch({ ...filters, search: 'qz' })
      const scans = plans
        .flat()
        .filter((node) => node['Relation Name']?.startsWith('payments') && node['Actual Rows'] * node['Actual Loops'] > 0)
      const texts = scans.filter((node) => node['Relation Name']?.startsWith('payments_texts'))
      for (const { 'Actual Rows': rows, 'Actual Loops': loops } of scans.filter((node) => !texts.includes(node)))
        expect(rows * loops).toBeLessThanOrEqual(2_000)
      // The other partitions are pruned, so at most one was read.
      const read = plans.flat().filter((node) => node['Relation Name']?.startsWith('payments_texts') && node['Actual Loops'] > 0)
      expect(new Set(read.map((node) => node['Relation Name'])).size).toBeLessThanOrEqual(1)
    },
  )
})

it.each<[string, string[], string[]]>([
  ['OR-1024571', ['or-', '-1'], ['1024571']],
  ['OR-1024571', ['or-'], ['-1024571']],
  ['ada.rivera242@example.org', ['@e', 'exa', 'xam', 'amp', 'mpl', 'ple', 'le.'], ['ada.rivera242@', '.org']],
  ['noor.j', [], ['noor.j']],
  ['noor.j', ['.j'], ['noor.']],
  ['99@', [], ['99@']],
  ['a  bcd-', [], [' bcd-']],
  ['abcdefgh', ['cde'], ['abcd', 'defgh']],
  ['abcabc', ['bca', 'cab'], ['abc']],
  ['example', ['exa', 'xam', 'amp', 'mpl', 'ple'], []],
  ['-1 ab é×é', ['-1', ' a', 'ab '], []],
  // Folding replaces these letters with others, so they are not looked up. They are not treated as word boundaries either.
  ['İstanbul \u212Aelviné.x', [], ['stanbul ', 'elvin']],
])('looks up the rare parts of %j if %j are common', (term, common, parts) => {
  expect(rareParts(term, (text) => !common.includes(text))).toEqual(parts)
})

it('looks up only parts that the term contains, for any term and any frequencies', () => {
  const letters = fc.constantFrom(...'abAB01.-@ _%é')
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 30 }), fc.func(fc.boolean()), (term, isRare) => {
      for (const part of rareParts(term, isRare)) expect(term.toLowerCase()).toContain(part)
    }),
  )
})

it('counts each text of a term once, and at most 32 texts of a long term', () => {
  expect(listFrequencyTexts('ABCAbcd e')).toEqual(['abc', 'bca', 'cab', 'bcd', 'cd ', ' e'])
  expect(listFrequencyTexts(Array.from({ length: 300 }, (_, i) => i).join(''))).toHaveLength(32)
})

it('drops search words that are part of another word', () => {
  expect(splitWords(' e E ee x\txe x ')).toEqual(['ee', 'xe'])
  expect(splitWords(' ')).toEqual([])
})
