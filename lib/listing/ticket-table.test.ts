/** The dashboard's ticket table and its exports contain the same tickets as filtering and sorting in memory. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { type TicketTableParams, ticketTableParams } from '../catalog/ticket-table'
import { listAssembled } from './assembled-list'
import { ticketList } from './list-tickets'
import { exportTickets, guestListLayout } from './ticket-csv'
import {
  countPrecedingTickets,
  countTicketTabs,
  findTicketNeighbors,
  findTicketTypes,
  type ListedTicket,
  listTicketTable,
  listTicketTypes,
  readTicketIds,
  ticketPosition,
  toTicketQuery,
} from './ticket-table'

const ZONE = 'Asia/Tokyo'
const EVENTS = ['680784c0821027c4d1044cb9', '680784c0821027c4d1044cba']
const NAMES = ['Zoë Haddad', 'ada Lovelace', 'Émile Zola', undefined, 'Ada King', '']
let seller: string
let other: string
let stored: ListedTicket[]

const makeDay = (i: number) => `2026-03-0${1 + (i % 5)}`

beforeAll(async () => {
  await openTestDatabase()
  seller = await makeSeller(ZONE)
  other = await makeSeller(ZONE)
  const booking = minimal('bookings', { tickets: [{ name: 'Balcony', ticketTypeId: 'b', quantity: 1 }] })
  await importLines('bookings', seller, [booking])
  const lines = Array.from({ length: 60 }, (_, i) =>
    minimal('tickets', {
      // Each pair of tickets has the same time, so their IDs determine their order.
      createdAt: `2026-03-01T12:00:${String(Math.floor(i / 2)).padStart(2, '0')}.000Z`,
      status: i % 7 === 0 ? 'CANCELED' : 'PAID',
      pageId: EVENTS[i % 2],
      ticketTypeId: i % 3 === 0 ? 'a' : 'b',
      chargeId: booking.id,
      orderId: `BK-${i}`,
      ticketShortId: `T${i}`,
      customerEmail: NAMES[i % 6] === undefined && i % 12 > 5 ? undefined : `guest${i}@example.com`,
      customerName: NAMES[i % 6] || undefined,
      ...(i % 4 === 0
        ? { checkIns: [{ method: 'QRSCAN', checkedInAt: makeDay(i), status: 'CHECKEDIN' }], checkInStatus: 'CHECKEDIN' }
        : {}),
    }),
  )
  await importLines('tickets', seller, lines)
  await importLines('tickets', other, [minimal('tickets', { customerName: 'Ada Elsewhere' })])
  const rows = await database().use((connection) =>
    connection.rows<{ ticket: string }>(sql`select desk_ticket(tickets)::text as ticket from tickets where seller_id = ${seller}`),
  )
  stored = rows.map(({ ticket }) => JSON.parse(ticket) as ListedTicket)
})

const unaccent = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
const getSortKey = ({ customerName, customerEmail }: ListedTicket) => unaccent(customerName || customerEmail || '') || undefined

function getExpected({ status, checkInStatus, pageId, ticketTypeId, search, sort: sortParam, ids, ...params }: Partial<TicketTableParams>) {
  const [from, to] = [params['checkedIn[gte]'] ?? '', params['checkedIn[lte]'] ?? '9999']
  const sort: string = sortParam ?? '-createdAt'
  const isByDay = params['checkedIn[gte]'] !== undefined || params['checkedIn[lte]'] !== undefined
  const found = stored.filter(
    (ticket) =>
      (!status || status.includes(ticket.status)) &&
      (!checkInStatus || checkInStatus.includes(ticket.checkInStatus)) &&
      (!pageId || pageId.includes(ticket.pageId ?? '')) &&
      (!ticketTypeId || ticketTypeId.includes(ticket.ticketTypeId ?? '')) &&
      (!ids || ids.includes(ticket.id)) &&
      (!isByDay || ticket.checkIns.some(({ checkedInAt }) => checkedInAt >= from && checkedInAt <= to)) &&
      (search ?? '')
        .split(' ')
        .every((word) =>
          [ticket.customerName, ticket.customerEmail, ticket.orderId, ticket.ticketShortId].some((text) =>
            unaccent(text ?? '').includes(unaccent(word)),
          ),
        ),
  )
  const sign = sort.startsWith('-') ? -1 : 1
  const compare = (a: string, b: string) => (a < b ? -sign : a > b ? sign : 0)
  return found.sort((a, b) => {
    const [keyA, keyB] = sort.endsWith('customer') ? [getSortKey(a), getSortKey(b)] : ['', '']
    const breakTie = () => compare(a.createdAt, b.createdAt) || compare(a.id, b.id)
    if (keyA === undefined || keyB === undefined) return keyA === keyB ? breakTie() : keyA === undefined ? 1 : -1
    return compare(keyA, keyB) || breakTie()
  })
}

const makeQuery = (params: Partial<TicketTableParams>) => toTicketQuery(seller, { limit: 7, ...params }, ZONE)

const QUERIES: Partial<TicketTableParams>[] = [
  {},
  { sort: 'createdAt' },
  { sort: 'customer' },
  { sort: '-customer' },
  { sort: 'customer', status: ['PAID'], pageId: EVENTS.slice(0, 1) },
  { status: ['CANCELED'] },
  { status: ['PAID', 'CANCELED'], checkInStatus: ['CHECKEDIN'] },
  { checkInStatus: ['UNCHECKEDIN'], ticketTypeId: ['a'] },
  { ticketTypeId: ['a', 'b'], pageId: EVENTS },
  { 'checkedIn[gte]': '2026-03-02', 'checkedIn[lte]': '2026-03-03' },
  { 'checkedIn[gte]': '2026-03-04', sort: '-customer' },
  { search: 'ada' },
  { search: 'haddad zoe' },
  { search: 'BK-1', sort: 'customer' },
  { search: '100% nobody_' },
  // The second word is only an accent.
  { search: 'ada \u0301' },
]

describe('a table of tickets', () => {
  it.each(QUERIES.map((params) => [JSON.stringify(params), params] as const))(
    'has exact pages in both directions, totals, positions, neighbors and tab counts with the parameters %s',
    async (_, params) => {
      const wanted = getExpected(params).map(({ id }) => id)
      const forward: string[] = []
      for (let cursor: string | undefined; ; cursor = forward.at(-1)) {
        const page = await listTicketTable(makeQuery({ ...params, starting_after: cursor }))
        expect([page.total, page.hasPrevious]).toEqual([wanted.length, cursor !== undefined])
        forward.push(...page.rows.map(({ id }) => id))
        if (!page.hasNext) break
      }
      expect(forward).toEqual(wanted)
      const backward = forward.slice(-1)
      for (let hasMore = backward.length > 0; hasMore; ) {
        const page = await listTicketTable(makeQuery({ ...params, ending_before: backward[0] }))
        backward.unshift(...page.rows.map(({ id }) => id))
        hasMore = page.hasPrevious
      }
      expect(backward).toEqual(wanted)
      for (const [i, id] of wanted.entries()) {
        if (i % 9 > 0) continue
        expect(await findTicketNeighbors(makeQuery(params), id)).toEqual({ previous: wanted[i - 1], next: wanted[i + 1] })
        expect(await ticketPosition(makeQuery(params), id)).toBe(i + 1)
        expect(await countPrecedingTickets({ ...makeQuery(params), cursor: id, direction: 'newer' }, 20)).toBe(Math.min(i, 20))
      }
      const tabs = { ...params, status: undefined, checkInStatus: undefined }
      const count = (tab: Partial<TicketTableParams>) => getExpected({ ...tabs, ...tab }).length
      const { all, ...others } = await countTicketTabs(makeQuery(params))
      expect(all).toBe(count({}))
      expect(Object.values(others).reduce((sum, count) => sum + count)).toBe(all)
      expect(others).toEqual({
        checkedIn: count({ status: ['PAID'], checkInStatus: ['CHECKEDIN'] }),
        expected: count({ status: ['PAID'], checkInStatus: ['UNCHECKEDIN'] }),
        canceled: count({ status: ['CANCELED'] }),
      })
    },
  )

  it('contains the name of the ticket type, and the day of the last check-in', async () => {
    const [ticket] = (await listTicketTable(makeQuery({ search: 'T4', limit: 100 }))).rows.filter(
      ({ ticketShortId }) => ticketShortId === 'T4',
    )
    expect(ticket).toMatchObject({ type: 'Balcony', checkedIn: '2026-03-05' })
    expect(await listTicketTypes(makeQuery({}))).toMatchObject([
      { value: 'b', label: 'Balcony' },
      { value: 'a', label: 'a' },
    ])
    expect(await findTicketTypes(makeQuery({ ticketTypeId: ['b', 'c'] }))).toMatchObject([{ value: 'b', label: 'Balcony' }])
  })

  it('ignores an empty ID in a list of ticket types, whereas the API lists and counts the tickets with an empty type ID', async () => {
    const shop = await makeSeller()
    await importLines(
      'tickets',
      shop,
      ['a', '', undefined].map((ticketTypeId) => minimal('tickets', { ticketTypeId })),
    )
    const table = await listTicketTable(toTicketQuery(shop, ticketTableParams.parse({ ticketTypeId: 'a,' }), ZONE))
    expect([table.total, table.rows.length]).toEqual([1, 1])
    const list = await listAssembled(ticketList(shop, { ticketTypeId: '' }, false), shop, { limit: 7 })
    expect([list.total, list.rows.length]).toEqual([1, 1])
  })

  it('rejects days that do not exist, and the year 0, which PostgreSQL does not have', () => {
    const parse = (day: string) => ticketTableParams.safeParse({ 'checkedIn[gte]': day, 'checkedIn[lte]': day }).success
    expect(['0000-01-01', '2026-02-30', '0001-01-01', '2026-03-01'].map(parse)).toEqual([false, false, true, true])
  })

  it('has no position for a ticket that was deleted after its page was read', async () => {
    expect(await ticketPosition(makeQuery({}), '0'.repeat(24))).toBeUndefined()
  })

  it('rejects another seller’s cursor, and contradictory dates', async () => {
    const [foreign] = (await listTicketTable(toTicketQuery(other, { limit: 1 }, ZONE))).rows
    await expect(listTicketTable(makeQuery({ starting_after: foreign?.id }))).rejects.toMatchObject({ code: 'resource_missing' })
    expect(() => makeQuery({ period: 'today', 'created[gte]': '2026-03-01' })).toThrow('not both')
    expect(() => makeQuery({ checkedIn: 'today', 'checkedIn[gte]': '2026-03-01' })).toThrow(
      expect.objectContaining({ code: 'parameters_exclusive', param: 'checkedIn' }),
    )
    expect(() => makeQuery({ 'checkedIn[gte]': '2026-03-02', 'checkedIn[lte]': '2026-03-01' })).toThrow(
      expect.objectContaining({ code: 'parameter_invalid', param: 'checkedIn[lte]' }),
    )
  })
})

async function read(chunks: AsyncGenerator<string>): Promise<string[]> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text.replace('\uFEFF', '').trimEnd().split('\r\n')
}

describe('an export of tickets', () => {
  it('contains every member, in the order of the table', async () => {
    const [head, ...rows] = await read(exportTickets(makeQuery({ sort: 'customer', status: ['PAID'] })))
    expect(head).toMatch(/^id,sellerId,chargeId,/)
    expect(head).not.toContain('qrCode')
    expect(rows.map((row) => row.slice(0, 24))).toEqual(getExpected({ sort: 'customer', status: ['PAID'] }).map(({ id }) => id))
  })

  it('reads the IDs as 12 bytes each, in the order of the table', async () => {
    const ids = await readTicketIds(makeQuery({ sort: '-customer' }))
    expect(ids.toString('hex')).toBe(
      getExpected({ sort: '-customer' })
        .map(({ id }) => id)
        .join(''),
    )
  })

  it('can be a guest list with the names of events and ticket types', async () => {
    const layout = guestListLayout(ZONE, new Map([[EVENTS[0] ?? '', 'Late Jazz']]))
    const [head, row] = await read(
      exportTickets(makeQuery({ ids: [stored.find(({ ticketShortId }) => ticketShortId === 'T4')?.id ?? ''] }), layout),
    )
    expect(head).toBe('Ticket,Guest,Email,Event,Type,Status,Check-in,Checked in on,Checked in at,Notes,Order,Created')
    expect(row).toBe('T4,Ada King,guest4@example.com,Late Jazz,Balcony,paid,checked in,2026-03-05,,,BK-4,2026-03-01')
  })
})
