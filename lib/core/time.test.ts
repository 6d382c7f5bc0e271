/** Dates and times are in the seller's time zone, including around midnight and when the clocks change. */
import { describe, expect, it } from 'vitest'
import { dayIn, instantIn, isTimeZone, normalizeTimestamp, timeOfDayIn } from './time'

describe('dayIn and timeOfDayIn', () => {
  it.each([
    ['2026-11-21T22:59:59.999Z', 'Europe/Amsterdam', '2026-11-21', '23:59'],
    ['2026-11-21T23:00:00.000Z', 'Europe/Amsterdam', '2026-11-22', '00:00'],
    // During daylight saving time, midnight is one hour earlier in UTC.
    ['2026-07-01T21:59:59.000Z', 'Europe/Amsterdam', '2026-07-01', '23:59'],
    ['2026-07-01T22:00:00.000Z', 'Europe/Amsterdam', '2026-07-02', '00:00'],
    // The night when the clocks go back: 02:30 occurs twice.
    ['2026-10-25T00:30:00.000Z', 'Europe/Amsterdam', '2026-10-25', '02:30'],
    ['2026-10-25T01:30:00.000Z', 'Europe/Amsterdam', '2026-10-25', '02:30'],
    ['2026-12-31T09:59:00.000Z', 'Pacific/Kiritimati', '2026-12-31', '23:59'],
    ['2026-12-31T10:00:00.000Z', 'Pacific/Kiritimati', '2027-01-01', '00:00'],
    ['2026-01-01T10:59:00.000Z', 'Pacific/Niue', '2025-12-31', '23:59'],
    ['2026-03-01T18:15:00.000Z', 'Asia/Kathmandu', '2026-03-02', '00:00'],
    ['0099-01-01T00:00:00.000Z', 'UTC', '0099-01-01', '00:00'],
  ])('convert %s in %s to %s and %s', (instant, zone, day, clock) => {
    expect(dayIn(zone, new Date(instant))).toBe(day)
    expect(timeOfDayIn(zone, new Date(instant))).toBe(clock)
  })
})

describe('normalizeTimestamp', () => {
  it.each([
    ['2026-11-21T19:30:00Z', '2026-11-21T19:30:00.000Z'],
    ['2026-11-21T19:30:00.123456+02:00', '2026-11-21T17:30:00.123Z'],
    ['0000-06-01T00:00:00.000Z', undefined],
    ['0001-01-01T00:00:00+01:00', undefined],
    ['9999-12-31T23:59:59-01:00', undefined],
    ['no', undefined],
  ])('converts %s to %s', (text, instant) => expect(normalizeTimestamp(text)).toBe(instant))
})

describe('isTimeZone', () => {
  it.each([
    ['Europe/Amsterdam', true],
    ['UTC', true],
    ['Mars/Base', false],
    ['+02:00', false],
    // PostgreSQL does not know `AET`, and interprets the others as different time zones than JavaScript does.
    ...['AET', 'IST', 'BST', 'PST'].map((name): [string, boolean] => [name, false]),
    ['', false],
  ])('given %j, returns %s', (name, isKnown) => expect(isTimeZone(name)).toBe(isKnown))
})

it('converts local times to timestamps, including times that the clocks skip or repeat', () => {
  const cases: [string, string, string][] = [
    ['Europe/Amsterdam', '2026-07-01T20:00', '2026-07-01T18:00:00.000Z'],
    ['Europe/Amsterdam', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['Europe/Amsterdam', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['Asia/Kathmandu', '2026-01-01T00:00', '2025-12-31T18:15:00.000Z'],
    ['UTC', 'tomorrow', 'tomorrow'],
  ]
  for (const [zone, local, instant] of cases) expect([zone, local, instantIn(zone, local)]).toEqual([zone, local, instant])
})
