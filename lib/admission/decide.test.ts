/** The rules of check-in, and the messages of the decisions. */
import { describe, expect, it } from 'vitest'
import type { CheckIn, MetadataEntry, Ticket } from '../catalog/ticket'
import {
  decideNote,
  decideUndo,
  decideValidation,
  type MetadataChange,
  mergeMetadata,
  type TicketContext,
  TooMuchMetadataError,
} from './decide'

const now = new Date('2026-11-21T19:42:00.000Z')
const entry: CheckIn = { method: 'QRSCAN', checkedInAt: '2026-11-20', checkedInByUserId: 'k', status: 'CHECKEDIN' }

const makeTicket = (overrides: Partial<Ticket> = {}): Ticket => ({
  id: '650000015a117e0e00000001',
  sellerId: 's',
  status: 'PAID',
  checkIns: [],
  checkInStatus: 'UNCHECKEDIN',
  metadata: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...overrides,
})
/** Returns a checked-in ticket. @param overrides members of its latest entry */
const makeCheckedIn = (overrides: Partial<CheckIn> = {}) =>
  makeTicket({ checkIns: [entry], latestCheckIn: { ...entry, ...overrides }, checkInStatus: 'CHECKEDIN' })
const makeContext = (overrides: Partial<TicketContext> = {}): TicketContext => ({
  ticket: makeTicket(),
  lastAt: undefined,
  entryPolicy: 'single',
  extraInside: 0,
  pageName: 'Friday Late Jazz',
  timeZone: 'Europe/Amsterdam',
  now,
  ...overrides,
})
const makeInput = (metadata: MetadataChange[] = [], checkIn = true) => ({ checkIn, metadata, actorId: 'key1' })

describe('a check-out', () => {
  const exitInput = { checkIn: true, metadata: [], actorId: 'gate', direction: 'out' as const }
  const makeCheckedOut = (method: CheckIn['method'] = 'QRSCAN') => {
    const exit = { ...entry, status: 'UNCHECKEDIN' as const, method }
    return makeTicket({ checkIns: [entry, exit], latestCheckIn: exit })
  }

  it('checks out a checked-in guest, even if the ticket has since been canceled', () => {
    for (const status of ['PAID', 'CANCELED'] as const) {
      expect(decideValidation(makeContext({ ticket: { ...makeCheckedIn(), status } }), exitInput)).toEqual({
        outcome: 'checked_out',
        message: 'Checked out',
        entry: { method: 'QRSCAN', checkedInAt: '2026-11-21', checkedInByUserId: 'gate', status: 'UNCHECKEDIN' },
      })
    }
  })

  it('adds no entry if the guest is not checked in or the scan is a preview', () => {
    expect(decideValidation(makeContext(), exitInput)).toEqual({ outcome: 'not_checked_in', message: 'This ticket is not checked in' })
    const preview = { ...exitInput, checkIn: false }
    expect(decideValidation(makeContext({ ticket: makeCheckedIn() }), preview)).toEqual({
      outcome: 'previewed',
      message: 'This ticket is checked in',
    })
    expect(decideValidation(makeContext(), preview)).toEqual({ outcome: 'previewed', message: 'This ticket is not checked in' })
  })

  it('is rejected at the door of another event', () => {
    const atOtherDoor = { ...exitInput, onlyPageId: 'b'.repeat(24) }
    expect(decideValidation(makeContext({ ticket: makeCheckedIn() }), atOtherDoor).outcome).toBe('other_event')
  })

  it.each([
    ['single', 'already_checked_in'],
    ['reentry', 'admitted'],
    ['multiple', 'admitted'],
  ] as const)('is followed, with the entry policy %s, by the outcome %s when the guest returns', (entryPolicy, outcome) => {
    expect(decideValidation(makeContext({ ticket: makeCheckedOut(), entryPolicy }), makeInput()).outcome).toBe(outcome)
  })

  it('is mentioned with its time when the ticket is scanned again', () => {
    expect(decideValidation(makeContext({ ticket: makeCheckedOut(), lastAt: new Date('2026-11-20T18:05:00Z') }), makeInput()).message).toBe(
      'Already used. The guest was checked out by QR scan on November 20, 2026 at 19:05',
    )
  })

  it('is distinguished from the undo of a check-in, after which the guest can be admitted again', () => {
    expect(decideValidation(makeContext({ ticket: makeCheckedOut('MANUAL') }), makeInput()).outcome).toBe('admitted')
  })

  it('can be undone, which checks the guest in again', () => {
    expect(decideUndo(makeContext({ ticket: makeCheckedOut() }), { sequence: 2, reason: 'Wrong scan', actorId: 'staff' })).toEqual({
      outcome: 'undone',
      message: 'Check-out undone. The guest is checked in',
      entry: { method: 'MANUAL', checkedInAt: '2026-11-21', checkedInByUserId: 'staff', status: 'CHECKEDIN' },
      undoReason: 'Wrong scan',
    })
  })
})

describe('a validation', () => {
  it('accepts a paid ticket, and records the day in the seller’s time zone', () => {
    expect(decideValidation(makeContext(), makeInput())).toEqual({
      outcome: 'admitted',
      message: 'Ticket validated',
      entry: { method: 'QRSCAN', checkedInAt: '2026-11-21', checkedInByUserId: 'key1', status: 'CHECKEDIN' },
    })
    expect(decideValidation(makeContext({ timeZone: 'Asia/Tokyo' }), makeInput()).entry?.checkedInAt).toBe('2026-11-22')
  })

  it.each([
    ['with the time', makeCheckedIn(), new Date('2026-11-20T18:05:00Z'), 'Already checked in by QR scan on November 20, 2026 at 19:05'],
    ['without the time if unknown', makeCheckedIn({ method: 'MANUAL' }), undefined, 'Already checked in manually on November 20, 2026'],
    ['without details if it has no history', makeTicket({ checkInStatus: 'CHECKEDIN' }), undefined, 'Already checked in'],
  ])('rejects a checked-in ticket with a message that says how and when it was checked in: %s', (_, checkedIn, lastAt, message) => {
    expect(decideValidation(makeContext({ ticket: checkedIn, lastAt }), makeInput())).toEqual({
      outcome: 'already_checked_in',
      message,
    })
  })

  it('writes metadata to a checked-in ticket, but not to a canceled one', () => {
    const change = [{ key: 'seat', value: 'A1' }]
    expect(decideValidation(makeContext({ ticket: makeCheckedIn() }), makeInput(change))).toMatchObject({
      outcome: 'already_checked_in',
      metadata: [{ key: 'seat', value: 'A1' }],
      message: 'Already checked in by QR scan on November 20, 2026. Metadata updated',
    })
    const canceled = makeTicket({ status: 'CANCELED', canceledAt: '2026-11-01T23:30:00.000Z' })
    expect(decideValidation(makeContext({ ticket: canceled }), makeInput(change))).toEqual({
      outcome: 'canceled',
      message: 'This ticket was canceled on November 2, 2026',
    })
  })

  it('accepts a ticket multiple times if its event allows it, unless the ticket is canceled', () => {
    const decide = (ticket: Ticket) => decideValidation(makeContext({ ticket, entryPolicy: 'multiple' }), makeInput()).outcome
    expect([makeCheckedIn(), makeTicket({ status: 'CANCELED' })].map(decide)).toEqual(['admitted', 'canceled'])
  })

  it('accepts a ticket again after a check-out if its event allows re-entry, but not before the check-out', () => {
    const exit: CheckIn = { ...entry, status: 'UNCHECKEDIN' }
    const checkedOut = makeTicket({ checkIns: [entry, exit], latestCheckIn: exit, checkInStatus: 'UNCHECKEDIN' })
    const decide = (ticket: Ticket) => decideValidation(makeContext({ ticket, entryPolicy: 'reentry' }), makeInput()).outcome
    expect([makeTicket(), makeCheckedIn(), checkedOut].map(decide)).toEqual(['admitted', 'already_checked_in', 'admitted'])
  })

  it('rejects a ticket for another event, and names the ticket’s event in the message', () => {
    const atDoor = { ...makeInput([{ key: 'a', value: 'b' }]), onlyPageId: 'f'.repeat(24) }
    expect(decideValidation(makeContext({ ticket: makeTicket({ pageId: 'a'.repeat(24) }) }), atDoor)).toEqual({
      outcome: 'other_event',
      message: 'This ticket is for Friday Late Jazz',
    })
    expect(decideValidation(makeContext({ ticket: makeTicket({ pageId: 'f'.repeat(24) }) }), atDoor)).toMatchObject({ outcome: 'admitted' })
  })

  it('does not check the guest in for a preview, and returns the same message as for an admission', () => {
    const preview = decideValidation(makeContext(), makeInput([{ key: 'a', value: 'b' }], false))
    expect(preview).toMatchObject({ outcome: 'previewed', message: 'Ticket validated and metadata updated' })
    expect(preview.entry).toBeUndefined()
    expect(decideValidation(makeContext({ ticket: makeCheckedIn() }), makeInput([], false)).outcome).toBe('already_checked_in')
  })
})

describe('metadata', () => {
  const before: MetadataEntry[] = [
    { key: 'seat', value: 'A1', addedAt: '2026-01-01T00:00:00.000Z' },
    { key: 'row', value: '3', addedAt: '2026-01-01T00:00:00.000Z' },
  ]

  it('is merged by key: existing keys are changed in place, new keys are appended, and null deletes a key', () => {
    const changes = [
      { key: 'gate', value: 'B' },
      { key: 'seat', value: 'A1' },
      { key: 'row', value: null },
      { key: 'never', value: null },
    ]
    expect(mergeMetadata(before, changes, now)).toEqual({
      metadata: [
        { key: 'seat', value: 'A1', addedAt: now.toISOString() },
        { key: 'gate', value: 'B', addedAt: now.toISOString() },
      ],
      deleted: ['row'],
      isChanged: true,
    })
    const { message } = decideValidation(
      makeContext({ ticket: makeTicket({ metadata: before }) }),
      makeInput([...changes, { key: 'seat2', value: 'x' }]),
    )
    expect(message).toBe('Ticket validated and metadata updated. Deleted: row')
  })

  it('stays the same if only nonexistent keys are deleted', () => {
    const changes = [{ key: 'never', value: null }]
    const unchanged = makeContext({ ticket: makeTicket({ metadata: before }) })
    const [validation, note] = [decideValidation(unchanged, makeInput(changes, false)), decideNote(unchanged, { metadata: changes })]
    expect([validation, note].map(({ metadata }) => metadata)).toEqual([undefined, undefined])
  })

  it('stores a key named __proto__', () => {
    expect(mergeMetadata([], [{ key: '__proto__', value: 'x' }], now).metadata).toEqual([
      { key: '__proto__', value: 'x', addedAt: now.toISOString() },
    ])
  })

  it('is limited to 50 entries, counted after deletions', () => {
    const full = Array.from({ length: 50 }, (_, index) => ({ key: `k${index}`, value: '', addedAt: now.toISOString() }))
    expect(() => mergeMetadata(full, [{ key: 'one more', value: '' }], now)).toThrow(TooMuchMetadataError)
    expect(
      mergeMetadata(
        full,
        [
          { key: 'one more', value: '' },
          { key: 'k0', value: null },
        ],
        now,
      ).metadata,
    ).toHaveLength(50)
  })
})

describe('a note', () => {
  it('changes the metadata without a check-in', () => {
    expect(decideNote(makeContext({ ticket: makeCheckedIn() }), { metadata: [{ key: 'seat', value: 'A1' }] })).toEqual({
      outcome: 'noted',
      message: 'Metadata updated',
      metadata: [{ key: 'seat', value: 'A1', addedAt: now.toISOString() }],
    })
  })

  it('is rejected if the ticket is canceled or for another event', () => {
    const note = { metadata: [{ key: 'seat', value: 'A1' }] }
    expect(decideNote(makeContext({ ticket: makeTicket({ status: 'CANCELED' }) }), note)).toEqual({
      outcome: 'canceled',
      message: 'This ticket is canceled',
    })
    expect(decideNote(makeContext({ pageName: undefined }), { ...note, onlyPageId: 'f'.repeat(24) })).toEqual({
      outcome: 'other_event',
      message: 'This ticket is for another event',
    })
  })
})

describe('an undo', () => {
  const undo = { sequence: 1, reason: 'Wrong guest', actorId: 'owner' }
  const undoEntry: CheckIn = { method: 'MANUAL', checkedInAt: '2026-11-21', checkedInByUserId: 'owner', status: 'UNCHECKEDIN' }

  it('appends an entry with the reason and the day in the seller’s time zone', () => {
    expect(decideUndo(makeContext({ ticket: makeCheckedIn() }), undo)).toEqual({
      outcome: 'undone',
      message: 'Check-in undone. The ticket can be used again',
      entry: undoEntry,
      undoReason: 'Wrong guest',
    })
    expect(decideUndo(makeContext({ ticket: makeCheckedIn(), timeZone: 'Asia/Tokyo' }), undo).entry?.checkedInAt).toBe('2026-11-22')
  })

  it('succeeds without another entry if the check-in was already undone', () => {
    const undone = makeTicket({ checkIns: [entry, undoEntry], latestCheckIn: undoEntry })
    expect(decideUndo(makeContext({ ticket: undone }), undo)).toEqual({
      outcome: 'already_undone',
      message: 'This check-in was already undone',
    })
    expect(decideUndo(makeContext({ ticket: undone }), { ...undo, sequence: 2 })).toMatchObject({ outcome: 'not_checked_in' })
  })

  it('is rejected after a newer check-in, with a message that contains its time', () => {
    const twice = makeTicket({ checkIns: [entry, entry], latestCheckIn: entry, checkInStatus: 'CHECKEDIN' })
    expect(decideUndo(makeContext({ ticket: twice, lastAt: new Date('2026-11-20T18:05:00Z') }), undo)).toEqual({
      outcome: 'newer_check_in',
      message: 'The guest was checked in again by QR scan on November 20, 2026 at 19:05. Review the ticket before you undo that check-in',
    })
  })

  it('is rejected if another entry has taken the position of the one to undo', () => {
    const [at, other] = ['2026-11-20T18:05:00.000Z', '2026-11-20T18:04:00.000Z']
    const decide = (entryTimes: (string | undefined)[]) => decideUndo(makeContext({ ticket: makeCheckedIn(), entryTimes }), { ...undo, at })
    expect(decide([at])).toMatchObject({ outcome: 'undone' })
    for (const entryTimes of [[other], [undefined], []]) {
      expect(decide(entryTimes)).toEqual({
        outcome: 'history_changed',
        message: 'An offline scan has since changed this ticket’s check-in history. Review the ticket, then try again',
      })
    }
    const undone = makeTicket({ checkIns: [entry, undoEntry], latestCheckIn: undoEntry })
    expect(decideUndo(makeContext({ ticket: undone, entryTimes: [other, other] }), { ...undo, at })).toMatchObject({
      outcome: 'history_changed',
    })
  })

  it('is rejected if there is no such check-in, or if the ticket is for another event', () => {
    expect(decideUndo(makeContext(), { ...undo, sequence: 0 })).toMatchObject({ outcome: 'not_checked_in' })
    expect(decideUndo(makeContext({ ticket: makeCheckedIn() }), { ...undo, sequence: 2 })).toMatchObject({ outcome: 'not_checked_in' })
    const atOtherDoor = { ...undo, onlyPageId: 'f'.repeat(24) }
    expect(decideUndo(makeContext({ ticket: makeCheckedIn() }), atOtherDoor)).toMatchObject({ outcome: 'other_event' })
  })
})
