/** Generates the creation times of the sample shop's records, and IDs that contain them. */
import type { Random } from './random'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const YEAR = 365 * DAY

/** Returns a time as ISO 8601 text. @param laterMs the number of milliseconds to add */
export const iso = (at: Date, laterMs = 0) => new Date(at.getTime() + laterMs).toISOString()

/** Returns an object ID that contains a creation time. @param group the number of the resource @param number the number of the record */
export function idAt(at: Date, group: number, number: number): string {
  const seconds = Math.floor(at.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
  return `${seconds}5a117e${group.toString(16).padStart(4, '0')}${number.toString(16).padStart(6, '0')}`
}

/** Returns a random time in the last year, in whole seconds. Recent times are more likely. */
const randomTime = (random: Random, now: Date) => new Date(Math.floor((now.getTime() - random.next() ** 1.4 * YEAR) / 1000) * 1000 - 1000)

/** Returns `count` random times in the last year, oldest first. */
export const randomTimes = (random: Random, now: Date, count: number) =>
  Array.from({ length: count }, () => randomTime(random, now)).sort((a, b) => a.getTime() - b.getTime())
