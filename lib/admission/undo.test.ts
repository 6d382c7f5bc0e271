/** An undo appends an entry to the ticket's history, and reverts only the specified entry. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { parseResult, retryUnavailable, serializeResult, validate } from '@/testing/admission'
import { importLines, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { undoReason } from '../catalog/ticket'
import { listRefusals } from '../listing/list-refusals'
import { type DecidedResult, type Undo, undoCheckIn, type Validation } from './change-ticket'

beforeAll(openTestDatabase)

type Door = {
  sellerId: string
  ticketId: string
  admit(overrides?: Partial<Validation>): Promise<DecidedResult>
  undo(sequence: number, overrides?: Partial<Undo>): Promise<DecidedResult>
  /** Returns the history as stored. */
  stored(): Promise<Line[]>
}

async function openDoor(members: Line = {}, page?: { entryPolicy: 'single' | 'multiple' }): Promise<Door> {
  const sellerId = await makeSeller('Asia/Tokyo')
  const event = minimal('pages')
  await importLines('pages', sellerId, [event])
  if (page) await database().use(({ rows }) => rows(sql`update pages set entry_policy = ${page.entryPolicy} where seller_id = ${sellerId}`))
  const line = minimal('tickets', { pageId: event.id, ...members })
  await importLines('tickets', sellerId, [line])
  const ticketId = String(line.id)
  const call = { sellerId, ticketId, body: {} }
  return {
    sellerId,
    ticketId,
    admit: async (overrides = {}) => validate({ ...call, metadata: [], checkIn: true, actorId: 'door', ...overrides } as Validation),
    undo: async (sequence, overrides = {}) =>
      parseResult(
        await undoCheckIn({ ...call, sequence, reason: 'Wrong guest', actorId: 'owner', ...overrides } as Undo, serializeResult),
      ) as DecidedResult,
    stored: () =>
      database().use(({ rows }) =>
        rows(sql`select sequence, method, status, actor_id as actor, reason, is_current as "isCurrent" from check_ins
          where seller_id = ${sellerId} and ticket_id = ${ticketId} order by sequence`),
      ),
  }
}

const IN = { method: 'QRSCAN', status: 'CHECKEDIN', actor: 'door', reason: null }
const OUT = { method: 'MANUAL', status: 'UNCHECKEDIN', actor: 'owner', reason: 'Wrong guest', isCurrent: false }
const TIMES = 20

describe('an undo', () => {
  it('appends an entry with reason, day and actor, keeps the history, and allows the ticket to be checked in again', async () => {
    const door = await openDoor()
    await door.admit()
    const { success, ticket } = await door.undo(1)
    expect(success).toBe(true)
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Tokyo' }).format(new Date())
    const entry = { method: 'MANUAL', checkedInAt: today, checkedInByUserId: 'owner', status: 'UNCHECKEDIN' }
    // This is what the API returns. It omits the reason.
    expect(ticket.checkIns).toEqual([expect.objectContaining({ method: 'QRSCAN', status: 'CHECKEDIN' }), entry])
    expect(ticket).toMatchObject({ latestCheckIn: entry, checkInStatus: 'UNCHECKEDIN' })
    expect(await door.stored()).toEqual([
      { sequence: 1, ...IN, isCurrent: false },
      { sequence: 2, ...OUT },
    ])
    expect(await door.admit()).toMatchObject({ success: true, ticket: { checkInStatus: 'CHECKEDIN' } })
    expect(await door.admit()).toMatchObject({ success: false, outcome: 'already_checked_in' })
    expect(await door.stored()).toEqual([
      { sequence: 1, ...IN, isCurrent: false },
      { sequence: 2, ...OUT },
      { sequence: 3, ...IN, isCurrent: true },
    ])
  })

  it('is rejected after a newer check-in, with a message that contains its time', async () => {
    const door = await openDoor()
    await door.admit()
    await door.undo(1)
    await door.admit({ method: 'MANUAL' })
    const late = await door.undo(1)
    expect(late).toMatchObject({ success: false, outcome: 'newer_check_in', ticket: { checkInStatus: 'CHECKEDIN' } })
    expect(late.message).toMatch(/^The guest was checked in again manually on \w+ \d+, \d{4} at \d\d:\d\d\. /)
    expect(await door.stored()).toHaveLength(3)
    expect(await door.undo(3)).toMatchObject({ success: true })
  })

  it('has no further effect if it is repeated: with the same key, it returns the first response, and without a key, it succeeds', async () => {
    const door = await openDoor()
    await door.admit()
    const first = await door.undo(1, { idempotencyKey: 'undo-1' })
    expect(await door.undo(1)).toMatchObject({ success: true, message: 'This check-in was already undone' })
    await door.admit()
    // The guest is checked in again. The repeated key returns the stored response and changes nothing.
    expect(await door.undo(1, { idempotencyKey: 'undo-1' })).toEqual(first)
    expect((await door.stored()).at(-1)).toMatchObject({ sequence: 3, isCurrent: true })
  })

  it.each(['single', 'multiple'] as const)('reverts only the latest check-in with the entry policy %s', async (entryPolicy) => {
    const door = await openDoor({}, { entryPolicy })
    await door.admit()
    const last = entryPolicy === 'multiple' ? 2 : 1
    if (last === 2) await door.admit()
    if (last === 2) expect(await door.undo(1)).toMatchObject({ success: false, outcome: 'newer_check_in' })
    expect(await door.undo(last)).toMatchObject({ success: true, ticket: { checkInStatus: 'UNCHECKEDIN' } })
    expect((await door.stored()).filter(({ isCurrent }) => isCurrent)).toEqual([])
    expect(await door.admit()).toMatchObject({ success: true })
    expect((await door.stored()).filter(({ isCurrent }) => isCurrent)).toMatchObject([{ sequence: last + 2 }])
  })

  it('reverts an imported check-in, with or without a history', async () => {
    const entry = { method: 'QRSCAN', checkedInAt: '2026-01-02', status: 'CHECKEDIN' }
    const imported = await openDoor({ checkIns: [entry] })
    expect(await imported.undo(1)).toMatchObject({ success: true, ticket: { checkIns: [entry, { status: 'UNCHECKEDIN' }] } })
    const bare = await openDoor({ checkInStatus: 'CHECKEDIN' })
    expect(await bare.undo(0)).toMatchObject({ success: true, ticket: { checkInStatus: 'UNCHECKEDIN' } })
    expect(await bare.admit()).toMatchObject({ success: true })
  })

  it('changes nothing if the entry does not exist, or if the ticket is for another event or belongs to another seller', async () => {
    const door = await openDoor()
    expect(await door.undo(0)).toMatchObject({ success: false, outcome: 'not_checked_in' })
    await door.admit()
    expect(await door.undo(2)).toMatchObject({ success: false, outcome: 'not_checked_in' })
    expect(await door.undo(1, { onlyPageId: 'f'.repeat(24) })).toMatchObject({ success: false, outcome: 'other_event' })
    const sellerId = await makeSeller()
    expect(await door.undo(1, { sellerId })).toEqual({ outcome: 'unknown' })
    // Only scans are recorded as refused.
    expect(await listRefusals(sellerId)).toMatchObject({ rows: [] })
    expect(await door.stored()).toEqual([{ sequence: 1, ...IN, isCurrent: true }])
  })

  it.each([
    ['', false],
    [' ', false],
    ['x', true],
    ['é'.repeat(200), true],
    ['x'.repeat(201), false],
    ['a\u0000b', false],
  ])('requires a reason of 1 to 200 characters: %j', (reason, isValid) => {
    expect(undoReason.safeParse(reason).success).toBe(isValid)
  })
})

describe('concurrent undos', () => {
  it('append only one entry if a check-in is undone twenty times', async () => {
    const door = await openDoor()
    await door.admit()
    const responses = await Promise.all(Array.from({ length: TIMES }, () => retryUnavailable(() => door.undo(1))))
    expect(responses.every(({ success }) => success)).toBe(true)
    expect(await door.stored()).toHaveLength(2)
  })

  it('all get the same response if they have the same idempotency key', async () => {
    const door = await openDoor()
    await door.admit()
    const responses = await Promise.all(Array.from({ length: TIMES }, () => retryUnavailable(() => door.undo(1, { idempotencyKey: 'u' }))))
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1)
    expect(await door.stored()).toHaveLength(2)
  })

  it('revert only the specified entry and leave at most one active entry, even when mixed with scans', async () => {
    const door = await openDoor()
    await door.admit()
    await Promise.all(Array.from({ length: TIMES }, (_, index) => retryUnavailable(() => (index % 2 === 0 ? door.undo(1) : door.admit()))))
    const history = await door.stored()
    expect(history.slice(0, 2).map(({ status }) => status)).toEqual(['CHECKEDIN', 'UNCHECKEDIN'])
    // Entry 1 was undone once, and no later entry was undone. At most one more admission follows, and it is active.
    expect(history.length).toBeLessThanOrEqual(3)
    expect(history.filter(({ isCurrent }) => isCurrent).map(({ sequence }) => sequence)).toEqual(history.length === 3 ? [3] : [])
  })
})
