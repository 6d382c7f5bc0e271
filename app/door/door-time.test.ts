/** Times on the check-in page, including on devices in other time zones. */
import { expect, it } from 'vitest'
import { compareZones, formatDoorTime, formatStart } from './door-time'

const AT = Date.parse('2026-11-20T23:42:00Z')

it.each([
  ['the time of day', AT + 60_000, '00:42'],
  ['the date and time if it is a different day in the event’s time zone', Date.parse('2026-11-20T22:00:00Z'), 'Nov 21, 00:42'],
])('formats a time as %s', (_, now, text) => {
  expect(formatDoorTime('Europe/Amsterdam', AT, now)).toBe(text)
})

it('formats the start of an event in its time zone', () => {
  expect(formatStart('America/New_York', AT)).toBe('Fri, Nov 20, 18:42')
})

it('returns the place of the event’s time zone and both times if the device’s clock shows a different time', () => {
  expect(compareZones('America/New_York', AT, 'Europe/Amsterdam')).toEqual({ place: 'New York', eventTime: '18:42', deviceTime: '00:42' })
})

it.each([
  ['shows the same time', 'Europe/Amsterdam', 'Europe/Berlin'],
  ['has the same time zone', 'UTC', 'UTC'],
])('returns undefined if the device %s', (_, timeZone, deviceZone) => {
  expect(compareZones(timeZone, AT, deviceZone)).toBeUndefined()
})

it('returns the place and both times even if only the date differs', () => {
  expect(compareZones('Pacific/Kiritimati', AT, 'Pacific/Honolulu')).toEqual({
    place: 'Kiritimati',
    eventTime: '13:42',
    deviceTime: '13:42',
  })
})
