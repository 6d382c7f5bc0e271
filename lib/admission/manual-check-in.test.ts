/** Manual check-ins and notes, which identify the ticket by its ID, follow the same rules as scans. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { parseDecidedResult, parseResult, retryUnavailable, serializeResult, validate } from '@/testing/admission'
import { importLines, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { noteOnTicket, type Validation, validateTicket } from './change-ticket'
import { TooMuchMetadataError } from './decide'

beforeAll(openTestDatabase)

const count = async (table: 'check_ins' | 'validation_attempts', sellerId: string) => {
  const [found] = await database().use(({ rows }) =>
    rows<{ count: number }>(sql`select count(*)::int as count from ${sql.identifier(table)} where seller_id = ${sellerId}`),
  )
  return found?.count
}

const listOutcomes = async (sellerId: string) => {
  const found = await database().use(({ rows }) =>
    rows<{ outcome: string }>(sql`select outcome from validation_attempts where seller_id = ${sellerId} order by id`),
  )
  return found.map(({ outcome }) => outcome)
}

async function sell(overrides: Line = {}) {
  const sellerId = await makeSeller('Europe/Amsterdam')
  const line = minimal('tickets', overrides)
  await importLines('tickets', sellerId, [line])
  const common = { sellerId, metadata: [], checkIn: true, actorId: 'volunteer', body: {} }
  const manual: Validation = { ...common, ticketId: String(line.id), method: 'MANUAL' }
  const byCode: Validation = { ...common, code: String(line.qrCode) }
  return { sellerId, manual, byCode }
}

describe('a manual check-in', () => {
  it('is recorded as manual, and reported as such when a later scan is rejected', async () => {
    const { manual, byCode } = await sell()
    expect(await validate(manual)).toMatchObject({
      success: true,
      ticket: { latestCheckIn: { method: 'MANUAL', status: 'CHECKEDIN', checkedInByUserId: 'volunteer' } },
    })
    const scanned = await validate(byCode)
    expect(scanned).toMatchObject({ success: false, outcome: 'already_checked_in' })
    expect(scanned.message).toMatch(/^Already checked in manually on \w+ \d+, \d{4} at \d\d:\d\d$/)
  })

  it('is rejected if the ticket is canceled or for another event, and can be previewed', async () => {
    const canceled = await sell({ status: 'CANCELED' })
    expect(await validate(canceled.manual)).toMatchObject({ success: false, outcome: 'canceled' })
    const { sellerId, manual } = await sell({ pageId: 'a'.repeat(24) })
    expect(await validate({ ...manual, onlyPageId: 'b'.repeat(24) })).toMatchObject({ outcome: 'other_event' })
    expect(await validate({ ...manual, checkIn: false })).toMatchObject({ success: true, ticket: { checkIns: [] } })
    expect(await count('check_ins', sellerId)).toBe(0)
    expect(await count('validation_attempts', sellerId)).toBe(2)
  })

  it('does not find another seller’s ticket, and records the attempt', async () => {
    const { manual } = await sell()
    const other = await makeSeller()
    expect(parseResult(await validateTicket({ ...manual, sellerId: other }, serializeResult))).toEqual({ outcome: 'unknown' })
    expect(await count('validation_attempts', other)).toBe(1)
  })

  it('runs once per idempotency key, and prevents a scan from reusing the key', async () => {
    const { sellerId, manual, byCode } = await sell()
    const keyed = { ...manual, idempotencyKey: 'hand-1' }
    const responses = await Promise.all(Array.from({ length: 20 }, () => retryUnavailable(() => validateTicket(keyed, serializeResult))))
    expect(new Set(responses.map(({ response }) => response.body)).size).toBe(1)
    expect((await validateTicket({ ...byCode, idempotencyKey: 'hand-1' }, serializeResult)).result).toEqual({
      outcome: 'idempotency_mismatch',
    })
    expect(await count('check_ins', sellerId)).toBe(1)
  })

  it('rejects an idempotency key that was used with a different body, and replays the response to the original request', async () => {
    const { sellerId, manual } = await sell()
    const keyed = { ...manual, idempotencyKey: 'hand-1', body: { gate: 1 } }
    const { response } = await validateTicket(keyed, serializeResult)
    const other = await validateTicket({ ...keyed, body: { gate: 2 } }, serializeResult)
    expect(other.result).toEqual({ outcome: 'idempotency_mismatch' })
    expect(await validateTicket(keyed, serializeResult)).toEqual({ response })
    expect(await listOutcomes(sellerId)).toEqual(['admitted', 'idempotency_mismatch'])
  })

  it('does not replay the response to a scan whose code equals the ticket’s ID', async () => {
    const id = 'f'.repeat(24)
    const { manual, byCode } = await sell({ id, qrCode: id })
    await validate({ ...byCode, idempotencyKey: 'same' })
    expect((await validateTicket({ ...manual, idempotencyKey: 'same' }, serializeResult)).result).toEqual({
      outcome: 'idempotency_mismatch',
    })
  })

  it('records the actor, the device and the outcome of each attempt', async () => {
    const { sellerId, manual } = await sell()
    await validate({ ...manual, device: 'Gate 2' })
    await validate(manual)
    const attempts = await database().use(({ rows }) =>
      rows(
        sql`select ticket_id as ticket, outcome, actor_id as actor, device from validation_attempts where seller_id = ${sellerId} order by id`,
      ),
    )
    const ticket = 'ticketId' in manual ? manual.ticketId : ''
    expect(attempts).toEqual([
      { ticket, outcome: 'admitted', actor: 'volunteer', device: 'Gate 2' },
      { ticket, outcome: 'already_checked_in', actor: 'volunteer', device: null },
    ])
  })

  it('admits only one guest if the ticket is scanned at another door at the same time', async () => {
    const { sellerId, manual, byCode } = await sell()
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => retryUnavailable(() => validate(index % 2 === 0 ? manual : byCode))),
    )
    expect(responses.filter(({ success }) => success)).toHaveLength(1)
    expect(await count('check_ins', sellerId)).toBe(1)
    expect(await count('validation_attempts', sellerId)).toBe(30)
  })
})

describe('checking in an order at two doors concurrently', () => {
  it('checks in each ticket at exactly one door', async () => {
    const sellerId = await makeSeller()
    const lines = Array.from({ length: 6 }, () => minimal('tickets', { orderId: 'BK-7' }))
    await importLines('tickets', sellerId, lines)
    const admitAll = (door: string) =>
      Promise.all(
        lines.map(({ id }) =>
          validate({
            sellerId,
            ticketId: String(id),
            method: 'MANUAL',
            metadata: [],
            checkIn: true,
            actorId: door,
            idempotencyKey: `${door}-${id}`,
            body: {},
          }),
        ),
      )
    const [first, second] = await Promise.all([admitAll('north'), admitAll('south')])
    expect(first.map(({ success }, index) => [success, second[index]?.success].filter(Boolean).length)).toEqual(lines.map(() => 1))
    expect(await count('check_ins', sellerId)).toBe(lines.length)
  })
})

describe('a note at the door', () => {
  const addNote = async (manual: Validation, key: string, value: string | null, onlyPageId?: string) =>
    parseDecidedResult(await noteOnTicket({ ...manual, metadata: [{ key, value }], onlyPageId }, serializeResult))

  it('can be added, changed and removed without a check-in, even on a checked-in ticket', async () => {
    const { sellerId, manual } = await sell()
    await addNote(manual, 'seat', 'A1')
    expect(await count('check_ins', sellerId)).toBe(0)
    await validate(manual)
    const changed = await addNote(manual, 'seat', 'B2')
    expect(changed).toMatchObject({ success: true, ticket: { checkInStatus: 'CHECKEDIN', metadata: [{ key: 'seat', value: 'B2' }] } })
    expect((await addNote(manual, 'seat', null)).ticket.metadata).toEqual([])
    expect(await count('check_ins', sellerId)).toBe(1)
    // Notes are not recorded as attempts, so the validation is the only attempt.
    expect(await count('validation_attempts', sellerId)).toBe(1)
  })

  it('is kept if others are added concurrently, up to 50 per ticket', async () => {
    const { manual } = await sell()
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => retryUnavailable(() => addNote(manual, `key ${index}`, 'x'))),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(errors.map((error) => error instanceof TooMuchMetadataError)).toEqual(Array(10).fill(true))
    const { ticket } = await validate({ ...manual, checkIn: false })
    expect(ticket.metadata).toHaveLength(50)
  })

  it('is written once if the request is retried with the same idempotency key', async () => {
    const { manual } = await sell()
    const keyed = { ...manual, idempotencyKey: 'note-1' }
    const first = await addNote(keyed, 'seat', 'A1')
    await addNote(manual, 'seat', 'B2')
    expect(await addNote(keyed, 'seat', 'A1')).toEqual(first)
    const { ticket } = await validate({ ...manual, checkIn: false })
    expect(ticket.metadata).toMatchObject([{ key: 'seat', value: 'B2' }])
  })

  it('is rejected if the ticket is canceled or for another event', async () => {
    const { manual } = await sell({ status: 'CANCELED' })
    expect(await addNote(manual, 'seat', 'A1')).toMatchObject({ outcome: 'canceled', ticket: { metadata: [] } })
    const { manual: otherEvent } = await sell()
    expect(await addNote(otherEvent, 'seat', 'A1', 'b'.repeat(24))).toMatchObject({ outcome: 'other_event', ticket: { metadata: [] } })
  })
})
