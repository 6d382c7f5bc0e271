/** The rules of admission, and their messages. */
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

const ticket = (given: Partial<Ticket> = {}): Ticket => ({
  id: '650000015a117e0e00000001',
  sellerId: 's',
  status: 'PAID',
  checkIns: [],
  checkInStatus: 'UNCHECKEDIN',
  metadata: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...given,
})
const inside = (given: Partial<CheckIn> = {}) =>
  ticket({ checkIns: [entry], latestCheckIn: { ...entry, ...given }, checkInStatus: 'CHECKEDIN' })
const context = (given: Partial<TicketContext> = {}): TicketContext => ({
  ticket: ticket(),
  lastAt: undefined,
  entryPolicy: 'single',
  extraInside: 0,
  pageName: 'Friday Late Jazz',
  timeZone: 'Europe/Amsterdam',
  now,
  ...given,
})
const input = (metadata: MetadataChange[] = [], checkIn = true) => ({ checkIn, metadata, actorId: 'key1' })

describe('a check-out', () => {
  const out = { checkIn: true, metadata: [], actorId: 'gate', direction: 'out' as const }
  const checkedOut = (method: CheckIn['method'] = 'QRSCAN') => {
    const exit = { ...entry, status: 'UNCHECKEDIN' as const, method }
    return ticket({ checkIns: [entry, exit], latestCheckIn: exit })
  }

  it('lets a guest leave by scan, even if the ticket has since been canceled', () => {
    for (const status of ['PAID', 'CANCELED'] as const) {
      expect(decideValidation(context({ ticket: { ...inside(), status } }), out)).toEqual({
        outcome: 'checked_out',
        message: 'Checked out',
        entry: { method: 'QRSCAN', checkedInAt: '2026-11-21', checkedInByUserId: 'gate', status: 'UNCHECKEDIN' },
      })
    }
  })

  it('adds no entry if the guest is not checked in or the scan is a preview', () => {
    expect(decideValidation(context(), out)).toEqual({ outcome: 'not_checked_in', message: 'This ticket is not checked in' })
    const preview = { ...out, checkIn: false }
    expect(decideValidation(context({ ticket: inside() }), preview)).toEqual({ outcome: 'previewed', message: 'This ticket is checked in' })
    expect(decideValidation(context(), preview)).toEqual({ outcome: 'previewed', message: 'This ticket is not checked in' })
  })

  it('is refused at the door of another event', () => {
    expect(decideValidation(context({ ticket: inside() }), { ...out, onlyPageId: 'b'.repeat(24) }).outcome).toBe('other_event')
  })

  it.each([
    ['single', 'already_checked_in'],
    ['reentry', 'admitted'],
    ['multiple', 'admitted'],
  ] as const)('with the entry policy %s leads to the outcome %s when the guest returns', (entryPolicy, outcome) => {
    expect(decideValidation(context({ ticket: checkedOut(), entryPolicy }), input()).outcome).toBe(outcome)
  })

  it('is reported with its time when the used ticket is scanned again', () => {
    expect(decideValidation(context({ ticket: checkedOut(), lastAt: new Date('2026-11-20T18:05:00Z') }), input()).message).toBe(
      'Already used. The guest was checked out on November 20, 2026 at 19:05 by QR scan',
    )
  })

  it('is not the same as the undo of a check-in, which leaves the ticket valid', () => {
    expect(decideValidation(context({ ticket: checkedOut('MANUAL') }), input()).outcome).toBe('admitted')
  })

  it('can be undone, which checks the guest in again', () => {
    expect(decideUndo(context({ ticket: checkedOut() }), { sequence: 2, reason: 'Wrong scan', actorId: 'staff' })).toEqual({
      outcome: 'undone',
      message: 'Check-out undone. The guest is checked in',
      entry: { method: 'MANUAL', checkedInAt: '2026-11-21', checkedInByUserId: 'staff', status: 'CHECKEDIN' },
      undoReason: 'Wrong scan',
    })
  })
})

describe('a validation', () => {
  it('admits a paid ticket, and records the day in the seller’s time zone', () => {
    expect(decideValidation(context(), input())).toEqual({
      outcome: 'admitted',
      message: 'Ticket validated',
      entry: { method: 'QRSCAN', checkedInAt: '2026-11-21', checkedInByUserId: 'key1', status: 'CHECKEDIN' },
    })
    expect(decideValidation(context({ timeZone: 'Asia/Tokyo' }), input()).entry?.checkedInAt).toBe('2026-11-22')
  })

  it.each([
    ['with the time of day', inside(), new Date('2026-11-20T18:05:00Z'), 'Already checked in on November 20, 2026 at 19:05 by QR scan'],
    ['manually, with only the day known', inside({ method: 'MANUAL' }), undefined, 'Already checked in on November 20, 2026 manually'],
    ['without a history', ticket({ checkInStatus: 'CHECKEDIN' }), undefined, 'Already checked in'],
  ])('refuses a checked-in ticket, and reports when and how it was checked in: %s', (_, checkedIn, lastAt, message) => {
    expect(decideValidation(context({ ticket: checkedIn, lastAt }), input())).toEqual({
      outcome: 'already_checked_in',
      message,
    })
  })

  it('writes metadata to a checked-in ticket, but not to a canceled one', () => {
    const change = [{ key: 'seat', value: 'A1' }]
    expect(decideValidation(context({ ticket: inside() }), input(change))).toMatchObject({
      outcome: 'already_checked_in',
      metadata: [{ key: 'seat', value: 'A1' }],
      message: 'Already checked in on November 20, 2026 by QR scan. Metadata updated',
    })
    const canceled = ticket({ status: 'CANCELED', canceledAt: '2026-11-01T23:30:00.000Z' })
    expect(decideValidation(context({ ticket: canceled }), input(change))).toEqual({
      outcome: 'canceled',
      message: 'This ticket was canceled on November 2, 2026',
    })
  })

  it('admits a ticket multiple times if its event allows it, unless the ticket is canceled', () => {
    expect(decideValidation(context({ ticket: inside(), entryPolicy: 'multiple' }), input())).toMatchObject({ outcome: 'admitted' })
    expect(decideValidation(context({ ticket: ticket({ status: 'CANCELED' }), entryPolicy: 'multiple' }), input())).toMatchObject({
      outcome: 'canceled',
    })
  })

  it('admits a ticket again after a check-out if its event allows re-entry, but not before the check-out', () => {
    const out: CheckIn = { ...entry, status: 'UNCHECKEDIN' }
    const checkedOut = ticket({ checkIns: [entry, out], latestCheckIn: out, checkInStatus: 'UNCHECKEDIN' })
    const decide = (one: TicketContext['ticket']) => decideValidation(context({ ticket: one, entryPolicy: 'reentry' }), input()).outcome
    expect([ticket(), inside(), checkedOut].map(decide)).toEqual(['admitted', 'already_checked_in', 'admitted'])
  })

  it('rejects a ticket for another event with a message that states its event', () => {
    const forOtherEvent = { ...input([{ key: 'a', value: 'b' }]), onlyPageId: 'f'.repeat(24) }
    expect(decideValidation(context({ ticket: ticket({ pageId: 'a'.repeat(24) }) }), forOtherEvent)).toEqual({
      outcome: 'other_event',
      message: 'This ticket is for Friday Late Jazz',
    })
    expect(decideValidation(context({ ticket: ticket({ pageId: 'f'.repeat(24) }) }), forOtherEvent)).toMatchObject({ outcome: 'admitted' })
  })

  it('makes no check-in for a preview, and returns the same message as for an admission', () => {
    const preview = decideValidation(context(), input([{ key: 'a', value: 'b' }], false))
    expect(preview).toMatchObject({ outcome: 'previewed', message: 'Ticket validated and metadata updated' })
    expect(preview.entry).toBeUndefined()
    expect(decideValidation(context({ ticket: inside() }), input([], false))).toMatchObject({ outcome: 'already_checked_in' })
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
      context({ ticket: ticket({ metadata: before }) }),
      input([...changes, { key: 'seat2', value: 'x' }]),
    )
    expect(message).toBe('Ticket validated and metadata updated. Deleted: row')
  })

  it('does not change if only keys that do not exist are deleted', () => {
    const changes = [{ key: 'never', value: null }]
    const given = context({ ticket: ticket({ metadata: before }) })
    const [validation, note] = [decideValidation(given, input(changes, false)), decideNote(given, { metadata: changes })]
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
    expect(decideNote(context({ ticket: inside() }), { metadata: [{ key: 'seat', value: 'A1' }] })).toEqual({
      outcome: 'noted',
      message: 'Metadata updated',
      metadata: [{ key: 'seat', value: 'A1', addedAt: now.toISOString() }],
    })
  })

  it('is rejected if the ticket is canceled or for another event', () => {
    const note = { metadata: [{ key: 'seat', value: 'A1' }] }
    expect(decideNote(context({ ticket: ticket({ status: 'CANCELED' }) }), note)).toEqual({
      outcome: 'canceled',
      message: 'This ticket is canceled',
    })
    expect(decideNote(context({ pageName: undefined }), { ...note, onlyPageId: 'f'.repeat(24) })).toEqual({
      outcome: 'other_event',
      message: 'This ticket is for another event',
    })
  })
})

describe('an undo', () => {
  const undo = { sequence: 1, reason: 'Wrong guest', actorId: 'owner' }
  const out: CheckIn = { method: 'MANUAL', checkedInAt: '2026-11-21', checkedInByUserId: 'owner', status: 'UNCHECKEDIN' }

  it('appends an entry with the reason and the day in the seller’s time zone', () => {
    expect(decideUndo(context({ ticket: inside() }), undo)).toEqual({
      outcome: 'undone',
      message: 'Check-in undone. The ticket can be used again',
      entry: out,
      undoReason: 'Wrong guest',
    })
    expect(decideUndo(context({ ticket: inside(), timeZone: 'Asia/Tokyo' }), undo).entry?.checkedInAt).toBe('2026-11-22')
  })

  it('is accepted without another entry if the check-in was already undone', () => {
    const undone = ticket({ checkIns: [entry, out], latestCheckIn: out })
    expect(decideUndo(context({ ticket: undone }), undo)).toEqual({
      outcome: 'already_undone',
      message: 'This check-in was already undone',
    })
    expect(decideUndo(context({ ticket: undone }), { ...undo, sequence: 2 })).toMatchObject({ outcome: 'not_checked_in' })
  })

  it('is rejected after a newer check-in, with a message that contains its time', () => {
    const twice = ticket({ checkIns: [entry, entry], latestCheckIn: entry, checkInStatus: 'CHECKEDIN' })
    expect(decideUndo(context({ ticket: twice, lastAt: new Date('2026-11-20T18:05:00Z') }), undo)).toEqual({
      outcome: 'newer_check_in',
      message: 'The guest was checked in again on November 20, 2026 at 19:05 by QR scan. Review the ticket before you undo that check-in',
    })
  })

  it('is rejected if another entry has taken the position of the one to undo', () => {
    const [at, other] = ['2026-11-20T18:05:00.000Z', '2026-11-20T18:04:00.000Z']
    const decide = (entryTimes: (string | undefined)[]) => decideUndo(context({ ticket: inside(), entryTimes }), { ...undo, at })
    expect(decide([at])).toMatchObject({ outcome: 'undone' })
    for (const entryTimes of [[other], [undefined], []]) {
      expect(decide(entryTimes)).toEqual({
        outcome: 'history_changed',
        message: 'An offline scan that arrived in the meantime has changed the history. Review the ticket before you undo anything',
      })
    }
    const undone = ticket({ checkIns: [entry, out], latestCheckIn: out })
    expect(decideUndo(context({ ticket: undone, entryTimes: [other, other] }), { ...undo, at })).toMatchObject({
      outcome: 'history_changed',
    })
  })

  it('is rejected if there is no such check-in, or if the ticket is for another event', () => {
    expect(decideUndo(context(), { ...undo, sequence: 0 })).toMatchObject({ outcome: 'not_checked_in' })
    expect(decideUndo(context({ ticket: inside() }), { ...undo, sequence: 2 })).toMatchObject({ outcome: 'not_checked_in' })
    expect(decideUndo(context({ ticket: inside() }), { ...undo, onlyPageId: 'f'.repeat(24) })).toMatchObject({ outcome: 'other_event' })
  })
})
