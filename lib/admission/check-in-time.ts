/** When something happened at the door, in a sentence. */

import type { CheckIn } from '../catalog/ticket'
import { clockIn } from '../core/time'

/** `20 November 2026`, from `2026-11-20`. */
export const longDay = (day: string) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`))

/** `20 November 2026 at 19:05`. @param at the instant, where it is known: an imported entry may have only its day */
export const sayWhen = (day: string, at: Date | undefined, timeZone: string) =>
  at ? `${longDay(day)} at ${clockIn(timeZone, at)}` : longDay(day)

export const WAYS: Record<CheckIn['method'], string> = { QRSCAN: 'by QR scan', MANUAL: 'by hand' }
