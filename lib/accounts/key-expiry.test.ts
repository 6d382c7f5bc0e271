/** A key expires after a number of days, or at the end of a day in the seller's time zone. */
import { describe, expect, it } from 'vitest'
import { dayIn } from '../core/time'
import { endOfDayIn, inDays } from './key-expiry'

describe('the expiry of a key', () => {
  it('is the end of the chosen day in the seller’s time zone, even if the clocks change on that day', () => {
    for (const [zone, day, end] of [
      ['UTC', '2026-11-21', '2026-11-22T00:00:00.000Z'],
      ['Europe/Amsterdam', '2026-11-21', '2026-11-21T23:00:00.000Z'],
      ['Europe/Amsterdam', '2026-07-01', '2026-07-01T22:00:00.000Z'],
      ['Europe/Amsterdam', '2026-03-29', '2026-03-29T22:00:00.000Z'],
      ['Europe/Amsterdam', '2026-10-25', '2026-10-25T23:00:00.000Z'],
      ['Asia/Kathmandu', '2026-12-31', '2026-12-31T18:15:00.000Z'],
      ['Pacific/Kiritimati', '2026-02-28', '2026-02-28T10:00:00.000Z'],
      // In Santiago, the clocks skip from 24:00 on September 5 to 01:00.
      ['America/Santiago', '2026-09-05', '2026-09-06T04:00:00.000Z'],
      // In Havana, 00:00 occurs twice on November 1.
      ['America/Havana', '2026-10-31', '2026-11-01T04:00:00.000Z'],
    ] as const) {
      expect(endOfDayIn(zone, day)?.toISOString(), `${zone} ${day}`).toBe(end)
    }
  })

  it('is the first instant of the next day, for every day of a year in zones with unusual clock changes', { tags: 'slow' }, () => {
    for (const zone of [
      'America/St_Johns',
      'Africa/Cairo',
      'Asia/Beirut',
      'America/Asuncion',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
    ]) {
      for (let instant = Date.UTC(2026, 0, 1); instant < Date.UTC(2027, 0, 1); instant += 86_400_000) {
        const day = new Date(instant).toISOString().slice(0, 10)
        const end = endOfDayIn(zone, day) ?? new Date(Number.NaN)
        expect(dayIn(zone, end) > day, `${zone} ${day}`).toBe(true)
        expect(dayIn(zone, new Date(end.getTime() - 1)), `${zone} ${day}`).toBe(day)
      }
    }
  })

  it('cannot be after the year 9999, which the database does not accept in ISO 8601', () => {
    for (const zone of ['UTC', 'America/New_York']) {
      expect(endOfDayIn(zone, '9999-12-31'), zone).toBeUndefined()
      expect(endOfDayIn(zone, '9999-12-30'), zone).toBeDefined()
    }
  })

  it('can be a number of days from now', () => {
    expect(inDays(30, new Date('2026-11-21T08:00:00Z')).toISOString()).toBe('2026-12-21T08:00:00.000Z')
  })
})
