/** Staff can find guests without scanning a ticket, and open their tickets. */
// @module-tag slow
import { setImmediate as nextIteration } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database, setDatabase } from '@/db/client'
import { reportedLoads } from '@/db/semaphore'
import { addUser } from '@/lib/accounts/users'
import { serializeResult, validate } from '@/testing/admission'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, type Line, makeKey, makeSeller, minimal } from '@/testing/seller'
import { undoCheckIn } from './change-ticket'
import { findTerm, findTickets, indexedTypos, MAX_FOUND, splitWords } from './find-guests'
import { getTicketDetails } from './ticket-details'

// Uses its own database, because rows from other tests would affect the query planner.
withOwnDatabase()

async function sell(lines: Line[]) {
  const seller = await makeSeller('Europe/Amsterdam')
  const tickets = lines.map((line) => minimal('tickets', line))
  const { rejects } = await importLines('tickets', seller, tickets)
  expect(rejects).toEqual([])
  const find = async (term: string, pageId?: string) => (await findTickets(seller, term, pageId)).guests.map(({ shortId }) => shortId)
  return { seller, find, ids: tickets.map(({ id }) => String(id)) }
}

const zoe = { customerName: 'Zoë O’Connor', customerEmail: 'Zoe@Example.com', orderId: 'BK-100%', ticketShortId: 'LH1' }

describe('findTickets', () => {
  it.each([
    'zoë',
    'CONNOR',
    'zoe@example',
    'bk-100%',
    'lh1',
    'ë o’c',
    "o'c",
    'O`Connor',
    'Zoe',
    'connor zoe',
    'conor',
    'conmor',
    'connro',
    'connnor zoe',
  ])('finds a guest by %j', async (term) => {
    const { find } = await sell([zoe, { customerName: 'Ann', ticketShortId: 'LH2' }])
    expect(await find(term)).toEqual(['LH1'])
  })

  it('finds names with letters such as ø and ß despite a typo, and finds nothing for an overlong word', async () => {
    const { find } = await sell([{ customerName: 'Søren Weißmann', ticketShortId: 'LH1' }])
    for (const term of ['Søeren', 'Weißmahn']) expect(await find(term)).toEqual(['LH1'])
    expect(await find('øx'.repeat(100))).toEqual([])
  })

  it.each(['％％', '＿＿', '＼', '100_', 'bk%', '\\', 'connorzoe', 'connor ben', 'konmor', 'bk-101'])(
    'does not find a guest by %j, which does not match any field',
    async (term) => {
      const { find } = await sell([zoe])
      expect(await find(term)).toEqual([])
    },
  )

  it('finds only the seller’s tickets for the door’s event', async () => {
    const [jazz, choir] = ['a'.repeat(24), 'b'.repeat(24)]
    const { seller, find } = await sell([
      { ...zoe, pageId: jazz },
      { ...zoe, pageId: choir, ticketShortId: 'LH2' },
    ])
    expect(await find('connor', jazz)).toEqual(['LH1'])
    expect(await find('connor')).toHaveLength(2)
    const other = await makeSeller()
    expect(await findTickets(other, 'connor', undefined)).toEqual({ guests: [], hasMore: false, isPartial: false })
    expect(seller).not.toBe(other)
  })

  it('sorts by match (whole field, field start, word start, anywhere), then newest first', async () => {
    const noonOf = (day: number) => `2026-03-0${day}T12:00:00.000Z`
    const { find } = await sell([
      { customerName: 'Rosanne', ticketShortId: 'inside', createdAt: noonOf(9) },
      { customerName: 'Mary Anne', ticketShortId: 'word', createdAt: noonOf(8) },
      { customerName: 'Annelies', ticketShortId: 'begins', createdAt: noonOf(6) },
      { customerName: 'Annemarie', ticketShortId: 'begins, newer', createdAt: noonOf(7) },
      { customerName: 'Xu', orderId: 'anne', ticketShortId: 'is', createdAt: noonOf(1) },
    ])
    expect(await find('anne')).toEqual(['is', 'begins, newer', 'begins', 'word', 'inside'])
  })

  it('returns at most 20 tickets, and whether there are more', async () => {
    const { seller } = await sell(Array.from({ length: MAX_FOUND + 1 }, () => ({ customerName: 'Smith' })))
    const { guests, hasMore } = await findTickets(seller, 'smith', undefined)
    expect([guests.length, hasMore]).toEqual([MAX_FOUND, true])
  })

  it('returns the ticket type, the event, and whether, when and how the guest was checked in', async () => {
    const [page, booking] = [
      minimal('pages', { name: 'Late Jazz' }),
      minimal('bookings', { tickets: [{ name: 'Balcony', ticketTypeId: 't1' }] }),
    ]
    const { seller, ids } = await sell([{ ...zoe, pageId: page.id, chargeId: booking.id, ticketTypeId: 't1' }])
    await importLines('pages', seller, [page])
    await importLines('bookings', seller, [booking])
    const known = {
      id: ids[0],
      name: zoe.customerName,
      typeId: 't1',
      type: 'Balcony',
      pageId: page.id,
      event: 'Late Jazz',
      order: 'BK-100%',
      shortId: 'LH1',
    }
    const state = { status: 'PAID', checkInStatus: 'UNCHECKEDIN', canCheckIn: true }
    expect((await findTickets(seller, 'connor', undefined)).guests).toEqual([{ ...known, ...state }])
    const common = { sellerId: seller, ticketId: String(ids[0]), actorId: 'x', body: {} }
    await validate({ ...common, method: 'MANUAL', metadata: [], checkIn: true })
    const when = expect.stringMatching(/^\w+ \d+, \d{4} at \d\d:\d\d$/)
    expect((await findTickets(seller, 'connor', undefined)).guests).toEqual([
      { ...known, ...state, canCheckIn: false, checkInStatus: 'CHECKEDIN', last: { status: 'CHECKEDIN', method: 'MANUAL', when } },
    ])
  })

  it.each([
    ['single', [true, false, false]],
    ['reentry', [true, false, true]],
    ['multiple', [true, true, true]],
  ] as const)(
    'with the policy %s, returns whether a guest can be checked in before a check-in, after it, and after a check-out by scan',
    async (entryPolicy, expected) => {
      const page = minimal('pages', { entryPolicy })
      const { seller, ids } = await sell([{ ...zoe, pageId: page.id }])
      await importLines('pages', seller, [page])
      const common = { sellerId: seller, ticketId: String(ids[0]), actorId: 'x', body: {}, metadata: [], checkIn: true }
      const readCanCheckIn = async () => (await findTickets(seller, 'connor', undefined)).guests.map(({ canCheckIn }) => canCheckIn)
      const before = await readCanCheckIn()
      await validate(common)
      const inside = await readCanCheckIn()
      await validate({ ...common, direction: 'out' })
      expect([...before, ...inside, ...(await readCanCheckIn())]).toEqual(expected)
    },
  )

  it.each([
    ['a', false],
    [' a ', false],
    ['ab', true],
    ['x'.repeat(200), true],
    ['x'.repeat(201), false],
    ['a\u0001b', false],
  ])('accepts only terms of 2 to 200 characters without control characters: %j', (term, isValid) => {
    expect(findTerm.safeParse(term).success).toBe(isValid)
  })
})

describe('the cost of a search', () => {
  it('stays low for terms with many words: words contained in others are skipped, and typos are not tolerated', async () => {
    expect(splitWords('a '.repeat(99))).toEqual({ long: [], short: ['a'] })
    expect(splitWords('Ann an ann@example n')).toEqual({ long: ['ann@example'], short: [] })
    const { find } = await sell([zoe])
    expect(await find('z o e')).toEqual(['LH1'])
    expect(await find('z o q')).toEqual([])
    const words = ['conor', 'zoe', 'example', 'com', '100%', 'lh1', 'bk-', 'zoë', 'o’c']
    expect(await find(words.slice(0, 6).join(' '))).toEqual(['LH1'])
    expect(await find([...words, 'exampl', 'onno'].join(' '))).toEqual([])
  })

  it('stays low with typos: only words of five Latin letters, or of six or more letters, have index patterns', () => {
    for (const word of ['conor', 'lovelace', 'тимофей']) {
      const typos = indexedTypos(word) ?? []
      expect(typos.length).toBeGreaterThan(word.length * 3)
      for (const typo of typos) expect(typo).toMatch(/\p{L}{3}/u)
    }
    expect(indexedTypos('conor')).toEqual(expect.arrayContaining(['onor', 'conro', 'c_nor', 'coxor', 'con_or']))
    expect([indexedTypos('anna'), indexedTypos('борис')]).toEqual([undefined, undefined])
  })

  it('stays low for other requests: only two of a seller’s searches run at a time, which leaves connections for lists', async () => {
    const { find } = await sell([zoe])
    let max = 0
    let isOver = false
    const searches = Promise.all(Array.from({ length: 6 }, () => find('zoe'))).finally(() => {
      isOver = true
    })
    while (!isOver) {
      max = Math.max(max, reportedLoads().get('guest_searches')?.active ?? 0)
      await nextIteration()
    }
    expect([max, (await searches).length]).toEqual([2, 6])
  })
})

describe('the details of a ticket', () => {
  it('show its history with reasons and actors, whether users or API keys', async () => {
    const { seller, ids } = await sell([zoe])
    const { id: keyId } = await makeKey(seller)
    const email = `staff-${seller}@example.com`
    const userId = await addUser(seller, { email, password: 'correct horse battery', role: 'staff' })
    const common = { sellerId: seller, ticketId: String(ids[0]), body: {} }
    await validate({ ...common, actorId: keyId, metadata: [{ key: 'seat', value: 'A1' }], checkIn: true })
    await undoCheckIn({ ...common, actorId: userId, sequence: 1, reason: 'Went to the wrong hall' }, serializeResult)
    const at = expect.stringMatching(/Z$/)
    const when = expect.stringMatching(/ at \d\d:\d\d$/)
    const { history, metadata, others } = await getTicketDetails(seller, String(ids[0]), undefined)
    expect(history).toEqual([
      { sequence: 1, status: 'CHECKEDIN', method: 'QRSCAN', when, at, who: 'Test' },
      { sequence: 2, status: 'UNCHECKEDIN', method: 'MANUAL', when, at, who: email, reason: 'Went to the wrong hall' },
    ])
    expect(metadata).toMatchObject([{ key: 'seat', value: 'A1' }])
    expect(others).toEqual([])
  })

  it('show the latest refused scans, newest first', async () => {
    const { seller, ids } = await sell([zoe])
    const { id: keyId } = await makeKey(seller)
    const common = { sellerId: seller, ticketId: String(ids[0]), body: {}, metadata: [], checkIn: true, actorId: keyId }
    for (const device of ['Gate 1', 'Gate 2', undefined]) await validate({ ...common, device })
    await validate({ ...common, direction: 'out' })
    await validate({ ...common, direction: 'out' })
    const when = expect.stringMatching(/ at \d\d:\d\d$/)
    const { refusals } = await getTicketDetails(seller, String(ids[0]), undefined)
    const at = expect.any(String)
    expect(refusals).toEqual([
      { outcome: 'not_checked_in', when, at, who: 'Test' },
      { outcome: 'already_checked_in', when, at, who: 'Test' },
      { outcome: 'already_checked_in', when, at, who: 'Gate 2' },
    ])
    // The page tells them apart by their times.
    expect(new Set(refusals.map((refusal) => refusal.at)).size).toBe(3)
  })

  it('show the seller’s other tickets with the same order (or charge, if it has no order) for the door’s event', async () => {
    const [jazz, choir] = ['a'.repeat(24), 'b'.repeat(24)]
    const { seller, ids } = await sell([
      { orderId: 'BK-1', ticketShortId: 'A', pageId: jazz },
      { orderId: 'BK-1', ticketShortId: 'C', pageId: jazz },
      { orderId: 'BK-1', ticketShortId: 'B', pageId: choir },
      { orderId: 'BK-2', ticketShortId: 'D' },
      { chargeId: 'ch_1', ticketShortId: 'E' },
      { chargeId: 'ch_1', ticketShortId: 'F' },
      { chargeId: 'ch_1', orderId: 'BK-3', ticketShortId: 'G' },
      { ticketShortId: 'H' },
      { ticketShortId: 'I' },
      { orderId: '', chargeId: 'ch_2', ticketShortId: 'J' },
      { orderId: '', chargeId: 'ch_2', ticketShortId: 'K' },
      { orderId: '', chargeId: '', ticketShortId: 'L' },
      { orderId: '', chargeId: '', ticketShortId: 'M' },
    ])
    await importLines('tickets', await makeSeller(), [minimal('tickets', { orderId: 'BK-1' })])
    const others = async (index: number, pageId?: string) =>
      (await getTicketDetails(seller, String(ids[index]), pageId)).others.map(({ shortId }) => shortId)
    expect(await others(0)).toEqual(['B', 'C'])
    expect(await others(0, jazz)).toEqual(['C'])
    expect(await others(4)).toEqual(['F'])
    expect(await others(6)).toEqual([])
    expect(await others(7)).toEqual([])
    expect(await others(9)).toEqual(['K'])
    expect(await others(11)).toEqual([])
  })

  it('report that an order of more than 500 tickets may have more than are shown', async () => {
    const choir = Array.from({ length: 500 }, () => ({ orderId: 'BK-1', pageId: 'b'.repeat(24) }))
    const { seller, ids } = await sell([...choir, { orderId: 'BK-1', pageId: 'a'.repeat(24) }])
    expect(await getTicketDetails(seller, String(ids.at(-1)), 'a'.repeat(24))).toMatchObject({ others: [], hasMore: true })
  })

  it('cannot be read by another seller', async () => {
    const { ids } = await sell([zoe])
    await expect(getTicketDetails(await makeSeller(), String(ids[0]), undefined)).rejects.toMatchObject({ code: 'ticket_not_found' })
  })
})

describe('among 20,000 tickets', () => {
  let seller = ''
  const lone = { id: 'f'.repeat(24), customerName: 'Zwyxeq Smith', createdAt: '2025-01-01T00:00:00.000Z' }
  beforeAll(async () => {
    seller = await makeSeller()
    await database().transaction(async ({ rows }) => {
      // Writing 20,000 events would take longer than writing the tickets.
      await rows(sql`select set_config('desk.events', 'off', true)`)
      await rows(sql`
        insert into tickets (seller_id, record, qr_code)
        select ${seller}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${seller}::text, 'status', 'PAID',
          'customerName', md5(n::text) || ' Smith', 'pageId', case when n % 4 > 0 then repeat('a', 24) end, 'chargeId', 'ch_' || n,
          'orderId', case when n % 10 = 0 then 'GUESTS' end, 'createdAt', '2026-01-01T00:00:00.000Z',
          'updatedAt', '2026-01-01T00:00:00.000Z'), 'plan-' || n
        from generate_series(1, 20000) as n`)
      await rows(sql`
        insert into tickets (seller_id, record, qr_code)
        select ${seller}, (record::jsonb || ${JSON.stringify(lone)}::text::jsonb)::json, 'plan-0'
        from tickets where seller_id = ${seller} and qr_code = 'plan-1'`)
    })
    // In production, autovacuum does this.
    await database().use(async ({ rows }) => {
      await rows(sql`select gin_clean_pending_list('tickets_plain')`)
      await rows(sql`analyze tickets`)
    })
  })

  /** Returns the plans of the queries that `work` runs. @param options the options for `explain` */
  async function explainQueries(work: () => Promise<unknown>, options = ''): Promise<string> {
    const original = database()
    const plans: Promise<{ 'QUERY PLAN': string }[]>[] = []
    setDatabase({
      ...original,
      use: (run) =>
        original.use((connection) =>
          run({
            get orm() {
              return connection.orm
            },
            bytes: connection.bytes,
            rows: (query, values) => {
              plans.push(original.use(({ rows }) => rows(sql`explain ${sql.raw(options)} ${query}`, values)))
              return connection.rows(query, values)
            },
          }),
        ),
    })
    await work().finally(() => setDatabase(original))
    return (await Promise.all(plans))
      .flat()
      .map((line) => line['QUERY PLAN'])
      .join('\n')
  }

  /**
   * Returns the largest number of rows that a node of a plan reads. Bitmap index scans do not count, because they can find all rows before
   * the first one is read.
   */
  function findMaxRead(plan: string): number {
    const reads = plan.replace(/.*Bitmap Index Scan.*/g, '')
    return Math.max(...[...reads.matchAll(/(?:Rows Removed by [A-Za-z ]+: |actual rows=)(\d+)/g)].map(([, rows]) => Number(rows)))
  }

  it.each(['c4ca4238', 'lovalace', 'adelo'])('finds %j with the trigram index', async (term) => {
    const plan = await explainQueries(() => findTickets(seller, term, undefined))
    expect(plan).toContain('tickets_plain')
    expect(plan).not.toContain('Seq Scan on tickets')
  })

  it.each(['smith', 'sm', 'smit'])('compares a limited number of tickets for %j, which all tickets contain', async (term) => {
    const { guests, hasMore, isPartial } = await findTickets(seller, term, undefined)
    expect([guests.length, hasMore, isPartial]).toEqual([MAX_FOUND, true, true])
  })

  it('does not use the index for a word that every ticket in the sample contains', async () => {
    const plan = await explainQueries(() => findTickets(seller, 'smith', undefined), '(analyze, timing off)')
    expect(plan).toMatch(/on tickets_plain.*never executed/)
  })

  it.each(['c4ca4238', 'smith c4ca4238'])('for %j, samples a large event’s tickets, and then compares only a few of them', async (term) => {
    const plan = await explainQueries(() => findTickets(seller, term, 'a'.repeat(24)), '(analyze, timing off)')
    expect(plan).toMatch(/on tickets_plain.*actual/)
    expect(findMaxRead(plan)).toBe(2_000)
    const discarded = [...plan.matchAll(/Rows Removed by [A-Za-z ]+: (\d+)/g)].map(([, rows]) => Number(rows))
    expect(discarded.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(1_000)
  })

  it('reads a limited number of tickets with a common word, and searches only those for typos of a short word', async () => {
    const term = 'smith qxqx'
    const plan = await explainQueries(() => findTickets(seller, term, undefined), '(analyze, timing off)')
    expect(findMaxRead(plan)).toBe(10_000)
    expect(await findTickets(seller, term, undefined)).toEqual({ guests: [], hasMore: false, isPartial: true })
  })

  it.each(['smith zwxeq', 'zwxyeq smith', 'zwyeq', 'zwyaxeq smith'])(
    'finds the right guest with %j among many with the same name',
    async (term) => {
      const { guests, isPartial } = await findTickets(seller, term, undefined)
      expect([guests.map(({ name }) => name), isPartial]).toEqual([['Zwyxeq Smith'], false])
    },
  )

  it.each(['qx', 'qxqx'])('reports that there may be more matches for %j, because no index can be used', async (term) => {
    expect(await findTickets(seller, term, undefined)).toEqual({ guests: [], hasMore: false, isPartial: true })
  })

  it('finds one of many guests with the same name by an additional word', async () => {
    const { guests, isPartial } = await findTickets(seller, 'smith c4ca4238', undefined)
    expect([guests.length, isPartial]).toEqual([1, false])
  })

  it('opens a ticket and the others with its charge using only indexes', async () => {
    const plan = await explainQueries(() => getTicketDetails(seller, '1'.padStart(24, '0'), undefined))
    expect(plan).toContain('tickets_charge')
    expect(plan).not.toContain('Seq Scan on tickets')
  })

  it('opens a ticket of an order with 2,000 tickets without reading more than 500 of them', async () => {
    const plan = await explainQueries(() => getTicketDetails(seller, 'a'.padStart(24, '0'), undefined), '(analyze, timing off)')
    expect(findMaxRead(plan)).toBe(500)
  })
})
