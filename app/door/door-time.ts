/** Formats times at the door: always in the event's time zone, and in the same format as the server's messages. */
import { dayIn, timeOfDayIn } from '@/lib/core/time'

/** Formats a day in a time zone, such as `Nov 20`. */
const formatDay = (timeZone: string, at: number, weekday?: 'short') =>
  new Intl.DateTimeFormat('en-US', { timeZone, month: 'short', day: 'numeric', weekday }).format(at)

/**
 * Formats a time of day, with the date if it is not today: yesterday's list must not look like a new one.
 *
 * @param at the time in milliseconds since 1970
 */
export function formatDoorTime(timeZone: string, at: number, now = Date.now()): string {
  const clock = timeOfDayIn(timeZone, new Date(at))
  return dayIn(timeZone, new Date(at)) === dayIn(timeZone, new Date(now)) ? clock : `${formatDay(timeZone, at)}, ${clock}`
}

/** Formats the start of an event, such as `Fri, Nov 20, 19:30`. @param at the time in milliseconds since 1970 */
export const formatStart = (timeZone: string, at: number) => `${formatDay(timeZone, at, 'short')}, ${timeOfDayIn(timeZone, new Date(at))}`

/** Returns the city of a time zone, such as `New York`. */
const toPlace = (timeZone: string) => (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ')

type OtherZone = {
  /** Where the event's time zone is, such as `New York`. */
  place: string
  /** The time of day in the event's time zone. */
  eventTime: string
  /** The time of day on the device. */
  deviceTime: string
}

/**
 * Compares the date and time in the event's time zone with those on the device.
 *
 * @param now milliseconds since 1970
 * @param deviceZone the device's time zone, by default the browser's
 * @returns undefined if both show the same date and time
 */
export function compareZones(
  timeZone: string,
  now = Date.now(),
  deviceZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
): OtherZone | undefined {
  const at = new Date(now)
  const [eventTime, deviceTime] = [timeOfDayIn(timeZone, at), timeOfDayIn(deviceZone, at)]
  if (eventTime === deviceTime && dayIn(timeZone, at) === dayIn(deviceZone, at)) return undefined
  return { place: toPlace(timeZone), eventTime, deviceTime }
}
