/** Who is let in, who is not, and in which words. */
import { describe, expect, it } from 'vitest'
import type { CheckIn, MetadataEntry, Ticket } from '../catalog/ticket'
import { decide, type MetadataChange, mergeMetadata, type Situation, TooMuchMetadata } from './decide'

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
const situation = (given: Partial<Situation> = {}): Situation => ({
  ticket: ticket(),
  lastAt: undefined,
  entryPolicy: 'single',
  pageName: 'Friday Late Jazz',
  timeZone: 'Europe/Amsterdam',
  now,
  ...given,
})
const wish = (metadata: MetadataChange[] = [], checkIn = true) => ({ checkIn, metadata, actorId: 'key1' })

describe('a validation', () => {
  it('admits a paid ticket, with the day of the seller’s time zone', () => {
    expect(decide(situation(), wish())).toEqual({
      success: true,
      outcome: 'admitted',
      message: 'Ticket validated',
      entry: { method: 'QRSCAN', checkedInAt: '2026-11-21', checkedInByUserId: 'key1', status: 'CHECKEDIN' },
    })
    expect(decide(situation({ timeZone: 'Asia/Tokyo' }), wish()).entry?.checkedInAt).toBe('2026-11-22')
  })

  it.each([
    ['with its hour', inside(), new Date('2026-11-20T18:05:00Z'), 'Already checked in on 20 November 2026 at 19:05 by QR scan'],
    ['by hand, on a day alone', inside({ method: 'MANUAL' }), undefined, 'Already checked in on 20 November 2026 by hand'],
    ['without a word of how', ticket({ checkInStatus: 'CHECKEDIN' }), undefined, 'Already checked in'],
  ])('refuses a ticket that is in, and says how it came in: %s', (_, standing, lastAt, message) => {
    expect(decide(situation({ ticket: standing, lastAt }), wish())).toEqual({
      success: false,
      reason: 'already_checked_in',
      outcome: 'already_checked_in',
      message,
    })
  })

  it('writes metadata for a ticket that is in, and for none that is canceled', () => {
    const change = [{ key: 'seat', value: 'A1' }]
    expect(decide(situation({ ticket: inside() }), wish(change))).toMatchObject({
      success: false,
      metadata: [{ key: 'seat', value: 'A1' }],
      message: 'Already checked in on 20 November 2026 by QR scan. Metadata updated',
    })
    const canceled = ticket({ status: 'CANCELED', canceledAt: '2026-11-01T23:30:00.000Z' })
    expect(decide(situation({ ticket: canceled }), wish(change))).toEqual({
      success: false,
      reason: 'canceled',
      outcome: 'canceled',
      message: 'This ticket was canceled on 2 November 2026',
    })
  })

  it('lets a page that allows re-entry in again and again, but no canceled ticket', () => {
    expect(decide(situation({ ticket: inside(), entryPolicy: 'multiple' }), wish())).toMatchObject({ success: true, outcome: 'admitted' })
    expect(decide(situation({ ticket: ticket({ status: 'CANCELED' }), entryPolicy: 'multiple' }), wish())).toMatchObject({ success: false })
  })

  it('at the door of one event refuses a ticket of another, and says which it is for', () => {
    const elsewhere = { ...wish([{ key: 'a', value: 'b' }]), onlyPageId: 'f'.repeat(24) }
    expect(decide(situation({ ticket: ticket({ pageId: 'a'.repeat(24) }) }), elsewhere)).toEqual({
      success: false,
      reason: 'other_event',
      outcome: 'other_event',
      message: 'This ticket is for Friday Late Jazz',
    })
    expect(decide(situation({ ticket: ticket({ pageId: 'f'.repeat(24) }) }), elsewhere)).toMatchObject({ success: true })
  })

  it('only looks when it is told to, and says what an admission would have said', () => {
    const looked = decide(situation(), wish([{ key: 'a', value: 'b' }], false))
    expect(looked).toMatchObject({ success: true, outcome: 'looked', message: 'Ticket validated and metadata updated' })
    expect(looked.entry).toBeUndefined()
    expect(decide(situation({ ticket: inside() }), wish([], false))).toMatchObject({ success: false, reason: 'already_checked_in' })
  })
})

describe('metadata', () => {
  const before: MetadataEntry[] = [
    { key: 'seat', value: 'A1', addedAt: '2026-01-01T00:00:00.000Z' },
    { key: 'row', value: '3', addedAt: '2026-01-01T00:00:00.000Z' },
  ]

  it('is merged by key: changed in its place, added behind, taken away by null', () => {
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
    })
    const { message } = decide(situation({ ticket: ticket({ metadata: before }) }), wish([...changes, { key: 'seat2', value: 'x' }]))
    expect(message).toBe('Ticket validated and metadata updated. Deleted: row')
  })

  it('keeps a key named __proto__ as any other', () => {
    expect(mergeMetadata([], [{ key: '__proto__', value: 'x' }], now).metadata).toEqual([
      { key: '__proto__', value: 'x', addedAt: now.toISOString() },
    ])
  })

  it('never grows past 50 entries, counted after what goes has gone', () => {
    const full = Array.from({ length: 50 }, (_, at) => ({ key: `k${at}`, value: '', addedAt: now.toISOString() }))
    expect(() => mergeMetadata(full, [{ key: 'one more', value: '' }], now)).toThrow(TooMuchMetadata)
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
