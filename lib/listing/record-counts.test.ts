/** The counts are exact in every snapshot during concurrent writes. A recount repairs the effects of changes that bypassed the triggers. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { type Connection, database } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, type Line, makeSeller, minimal } from '@/testing/seller'
import { type ResourceName, resources } from '../catalog'
import type { Resource } from '../catalog/resource'
import { completeRecord } from '../sync/writers/writer'
import { toListQuery } from './list-query'
import { listRecords } from './list-records'
import { countByStatus, versionToken } from './record-counts'
import { recount } from './recount'
import { recountTexts } from './recount-texts'

withOwnDatabase()

const run = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))
const PAGES = ['abcdefabcdefabcdefabcdef', 'abcdefabcdefabcdefabcde0', undefined]
const STATUSES = ['paid', 'failed', 'refunded']

/** A seeded pseudo-random generator, so that failures are reproducible. */
function makePicker(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

const makeId = (number: number) => number.toString(16).padStart(24, '0')

function record(seller: string, number: number, pick: (below: number) => number): string {
  const line: Line = minimal('payments', {
    id: makeId(number),
    status: STATUSES[pick(3)],
    pageId: PAGES[pick(3)],
    createdAt: new Date(Date.UTC(2026, 0, 1 + pick(200))).toISOString(),
    orderId: `OR-${pick(1000)}`,
  })
  completeRecord(line, seller)
  return JSON.stringify(line)
}

const upsert = (seller: string, records: string[]) => sql`
  insert into payments (seller_id, record) select ${seller}, value from json_array_elements(${`[${records.join(',')}]`}::text::json)
  on conflict (seller_id, id) do update set record = excluded.record`

class RollbackError extends Error {}

/** Runs one step of a writer: an upsert of several records, a change of their status, or their deletion. */
async function write({ rows }: Connection, seller: string, pick: (below: number) => number): Promise<void> {
  const numbers = [...new Set(Array.from({ length: 1 + pick(6) }, () => pick(40)))].sort((a, b) => a - b)
  const ids = numbers.map(makeId)
  switch (pick(5)) {
    case 0:
      await rows(sql`with gone as (select id from payments where seller_id = ${seller} and id = any(${sql.param(ids)}::text[]) order by id for update)
        delete from payments using gone where payments.seller_id = ${seller} and payments.id = gone.id`)
      break
    case 1:
      await rows(sql`with held as (select id from payments where seller_id = ${seller} and id = any(${sql.param(ids)}::text[]) order by id for update)
        update payments set record = (record::jsonb || ${JSON.stringify({ status: STATUSES[pick(3)] })}::text::jsonb)::json
        from held where payments.seller_id = ${seller} and payments.id = held.id`)
      break
    default:
      await rows(
        upsert(
          seller,
          numbers.map((number) => record(seller, number, pick)),
        ),
      )
  }
}

/** Returns how many counts and searched texts differ from the records. Each of the two comparisons uses a single snapshot. */
const countDifferences = async () => (await recount(false)).length + (await recountTexts(false)).length

describe('the counts, and the compact texts that searches read,', () => {
  it('are exact at all times while eight writers insert, update and delete the same records and roll back', async () => {
    const seller = await makeSeller()
    let isWriting = true
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const pick = makePicker(writer + 1)
      for (let round = 0; round < 60; round += 1) {
        await database()
          .transaction(async (connection) => {
            await write(connection, seller, pick)
            // This second statement locks rows in a different order. Writers can wait for records, but never for counts.
            if (pick(3) === 0) await connection.rows(upsert(seller, [record(seller, 100 + writer, pick)]))
            if (pick(6) === 0) throw new RollbackError()
          })
          .catch((error: unknown) => {
            if (!(error instanceof RollbackError)) throw error
          })
      }
    })
    const wrongCounts: number[] = []
    const watcher = (async () => {
      while (isWriting) wrongCounts.push(await countDifferences())
    })()
    await Promise.all(writers)
    isWriting = false
    await watcher
    expect(wrongCounts.length).toBeGreaterThan(5)
    expect(wrongCounts.filter((count) => count > 0)).toEqual([])
    expect([...(await recount(false)), ...(await recountTexts(false))]).toEqual([])
    const [row] = await run<{ records: number }>(sql`select count(*)::int as records from payments where seller_id = ${seller}`)
    expect((await listRecords(toListQuery(resources.payments, seller, { limit: 1 }))).total).toBe(row?.records)
  })

  it('are updated without waiting for a writer that has not committed', async () => {
    const seller = await makeSeller()
    const pick = makePicker(5)
    await run(upsert(seller, [record(seller, 1, pick)]))
    await database().transaction(async ({ rows }) => {
      await rows(upsert(seller, [record(seller, 2, pick)]))
      // This would time out if the counts of the first writer blocked it.
      await run(upsert(seller, [record(seller, 3, pick)]))
      expect((await listRecords(toListQuery(resources.payments, seller, { limit: 10 }))).total).toBe(2)
    })
    expect((await listRecords(toListQuery(resources.payments, seller, { limit: 10 }))).total).toBe(3)
    const countRows = () =>
      run<{ rows: number }>(
        sql`select count(*)::int as rows from record_counts where seller_id = ${seller} and page_id = '' and status = ''`,
      )
    expect(await countRows()).toEqual([{ rows: 2 }])
    for (let number = 10; number < 20; number += 1) await run(upsert(seller, [record(seller, number, pick)]))
    // Sequential writers reuse the existing slots.
    expect(await countRows()).toEqual([{ rows: 2 }])
  })

  it.each(Object.keys(resources) as ResourceName[])(
    'of %s are exact after an import, a repeated import, a change and the deletion of all records',
    async (name) => {
      const seller = await makeSeller()
      const resource: Resource = resources[name]
      const total = async (filter = {}) => (await listRecords(toListQuery(resource, seller, { limit: 1, ...filter }))).total
      const lines = Array.from({ length: 30 }, () => minimal(name))
      await importLines(name, seller, lines)
      expect(await total()).toBe(30)
      await importLines(name, seller, lines)
      expect(await total()).toBe(30)
      const { status: statuses = [], pageId } = resource.filters
      const status = statuses.find((value) => value !== lines[0]?.status)
      const moved = { ...(status && { status }), ...(pageId && { pageId: PAGES[0] }) }
      const { rejects } = await importLines(
        name,
        seller,
        lines.slice(0, 4).map((line) => ({ ...line, ...moved })),
      )
      expect(rejects).toEqual([])
      for (const [key, value] of Object.entries(moved)) expect([key, await total({ [key]: value })]).toEqual([key, 4])
      expect(await total(moved)).toBe(Object.keys(moved).length > 0 ? 4 : 30)
      if (status) {
        expect((await countByStatus({ resource, sellerId: seller }))[status]).toBe(4)
        if (pageId) expect(await countByStatus({ resource, sellerId: seller, pageId: PAGES[0] })).toEqual({ [status]: 4 })
      }
      await run(sql`delete from ${resource.table} where seller_id = ${seller}`)
      expect(await total()).toBe(0)
      expect([...(await recount(false)), ...(await recountTexts(false))]).toEqual([])
    },
  )

  it('include records without a status, which have an empty key', async () => {
    const seller = await makeSeller()
    const statuses = ['active', 'active', undefined]
    await importLines(
      'subscriptions',
      seller,
      statuses.map((status) => minimal('subscriptions', { status })),
    )
    const query = { resource: resources.subscriptions, sellerId: seller }
    expect(await countByStatus(query)).toEqual({ active: 2, '': 1 })
    expect(await countByStatus({ ...query, sellerId: await makeSeller() })).toEqual({})
  })

  it('are cleared when a table is truncated', async () => {
    const seller = await makeSeller()
    await importLines('bookings', seller, [minimal('bookings'), minimal('bookings')])
    await run(sql`truncate bookings`)
    expect((await listRecords(toListQuery(resources.bookings, seller, { limit: 1 }))).total).toBe(0)
    expect([...(await recount(false)), ...(await recountTexts(false))]).toEqual([])
  })
})

describe('a recount', () => {
  it('finds differences caused by changes that bypassed the triggers, and repairs them once, even during other writes', async () => {
    const seller = await makeSeller()
    await importLines('payments', seller, [minimal('payments'), minimal('payments')])
    await run(sql`alter table payments disable trigger user`)
    await run(sql`delete from payments where seller_id = ${seller} and id = (select min(id) from payments where seller_id = ${seller})`)
    await run(sql`alter table payments enable trigger user`)
    const wrong = [
      { resource: 'payments', sellerId: seller, pageId: '', status: '', stored: 2, actual: 1 },
      { resource: 'payments', sellerId: seller, pageId: '', status: 'paid', stored: 2, actual: 1 },
    ]
    expect(await recount(false)).toEqual(wrong)
    const pick = makePicker(9)
    const [first, second] = await Promise.all([
      recount(true),
      recount(true),
      ...Array.from({ length: 10 }, (_, number) => run(upsert(seller, [record(seller, 50 + number, pick)]))),
    ])
    // Of the two concurrent recounts, one finds nothing left to repair.
    expect([first.length, second.length].sort()).toEqual([0, 2])
    expect(await recount(false)).toEqual([])
    expect((await listRecords(toListQuery(resources.payments, seller, { limit: 1 }))).total).toBe(11)
  })
})

describe('a recount of the searched texts', () => {
  it('finds and repairs missing, superfluous and different texts without changing the others', async () => {
    const seller = await makeSeller()
    const pick = makePicker(3)
    await run(
      upsert(
        seller,
        [1, 2, 3, 4].map((number) => record(seller, number, pick)),
      ),
    )
    await run(sql`delete from payments_texts where id = decode(${makeId(1)}, 'hex')`)
    await run(sql`update payments_texts set text = 'x' where id = decode(${makeId(2)}, 'hex')`)
    await run(sql`insert into payments_texts select seller, decode(${makeId(9)}, 'hex'), created_at, text, status, page_id
      from payments_texts where id = decode(${makeId(3)}, 'hex')`)
    const findWrong = async () => (await recountTexts(false)).filter(({ sellerId }) => sellerId === seller)
    expect(await findWrong()).toEqual([{ resource: 'payments', sellerId: seller, texts: 3 }])
    const readVersion = () =>
      run<{ version: string }>(sql`select ${versionToken({ resource: resources.payments, sellerId: seller })} as version`)
    const version = await readVersion()
    await recountTexts(true)
    // Cached searches are invalid.
    expect(await readVersion()).not.toEqual(version)
    await run(sql`update payments_texts set text = 'x' where id = decode(${makeId(2)}, 'hex')`)
    await Promise.all([recountTexts(true), ...Array.from({ length: 10 }, (_, i) => run(upsert(seller, [record(seller, i, pick)])))])
    expect(await findWrong()).toEqual([])
    const rest = await run<{ texts: number }>(sql`
      select count(*)::int as texts from payments_texts where seller = (select number from sellers where id = ${seller})`)
    expect(rest).toEqual([{ texts: 10 }])
  })
})

describe('the version token', () => {
  const read = (seller: string, { rows }: Connection) =>
    rows<{ version: string }>(sql`select ${versionToken({ resource: resources.payments, sellerId: seller })} as version`)

  it('changes if and only if a record changes', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const version = async () => (await database().use((connection) => read(seller, connection)))[0]?.version
    const line = minimal('payments')
    const seen = [await version()]
    for (const change of [{}, { orderId: 'changed' }, { status: 'failed' }]) {
      await importLines('payments', seller, [{ ...line, ...change }])
      seen.push(await version())
    }
    expect(new Set(seen).size).toBe(4)
    await importLines('coupons', seller, [minimal('coupons')])
    await importLines('payments', other, [minimal('payments')])
    expect(await version()).toBe(seen.at(-1))
  })

  it('differs on a database server that started at a different time, such as after a failover', async () => {
    const seller = await makeSeller()
    await importLines('payments', seller, [minimal('payments')])
    await run(sql`create schema other_server`)
    await run(
      sql`create function other_server.pg_postmaster_start_time() returns timestamptz language sql as $$ select timestamptz '2026-01-01' $$`,
    )
    await database().transaction(async (connection) => {
      const versions = await read(seller, connection)
      // PostgreSQL searches pg_catalog first unless the search path contains it at another position.
      await connection.rows(sql`set local search_path = public, other_server, pg_catalog`)
      const otherVersions = await read(seller, connection)
      expect([versions.length, otherVersions.length]).toEqual([1, 1])
      expect(otherVersions).not.toEqual(versions)
    })
  })
})
