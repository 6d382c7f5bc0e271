/** The bar at the top of the scanner: the event, how many guests have arrived, whether the server responds, and the menu. */
import { Menu, Wifi, WifiOff } from 'lucide-react'
import { useMemo } from 'react'
import type { Turnout } from '@/lib/admission/turnout'
import { doorCopy } from '../copy/door'
import { type DoorEvent, listChoices } from './door-events'

type Props = {
  events: readonly DoorEvent[]
  timeZone: string
  allowsAll: boolean
  pageId: string
  onEvent: (pageId: string) => void
  turnout: Turnout
  /** The age of the counts, such as `as of 19:42`, and this device's additions to them; undefined while they are current. */
  age: CountsAge | undefined
  isConnected: boolean
  onMenu: () => void
}

/** The time of the server's last counts, and how many of the counted guests this device has admitted since then. */
export type CountsAge = { time: string; admitted: number }

/** The fraction of an event's capacity at which the check-in page starts to warn. */
const ALMOST_FULL = 0.9

/**
 * Returns the notice for an event that is full or almost full, and a shorter text that screen readers announce only when it changes.
 * Returns undefined for any other event.
 *
 * @param places the capacity of the event, if it has one
 */
export function capacityNotice(inside: number, places: number | null | undefined): { text: string; announcement: string } | undefined {
  if (!places || inside < places * ALMOST_FULL) return undefined
  const announcement = inside >= places ? doorCopy.full : doorCopy.almostFull
  return { text: doorCopy.placesTaken(announcement, inside, places), announcement }
}

export function TopBar({ events, timeZone, allowsAll, pageId, onEvent, turnout: { attended, sold }, age, isConnected, onMenu }: Props) {
  const Signal = isConnected ? Wifi : WifiOff
  // The bar is rendered several times per scan.
  const choices = useMemo(() => listChoices(events, { timeZone, allowsAll, pageId }), [events, timeZone, allowsAll, pageId])
  return (
    <header className="flex h-16 shrink-0 items-center gap-2 border-line border-b px-3">
      <h1 className="sr-only">{doorCopy.title}</h1>
      <select
        className="h-16 min-w-0 grow truncate bg-transparent font-semibold tracking-tight"
        aria-label={doorCopy.event}
        value={pageId}
        onChange={(event) => onEvent(event.target.value)}
      >
        {allowsAll ? <option value="">{doorCopy.anyEvent}</option> : null}
        {choices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <Ring fraction={sold === 0 ? 0 : attended / sold} />
      <span aria-hidden className="flex shrink-0 flex-col items-end leading-tight tabular-nums">
        <span className="font-semibold">{doorCopy.start.count(attended, sold)}</span>
        {age ? <span className="text-warn text-xs">{doorCopy.asOf(age.time)}</span> : null}
      </span>
      <span className="sr-only" data-turnout>
        {[doorCopy.attended(attended, sold), age && doorCopy.countsAge(age)].filter(Boolean).join(', ')}
      </span>
      <span role="img" aria-label={isConnected ? doorCopy.connected : doorCopy.disconnected} data-connected={isConnected}>
        <Signal aria-hidden size={20} className={isConnected ? 'text-good' : 'text-warn'} />
      </span>
      <button
        type="button"
        aria-label={doorCopy.menu}
        className="-mr-3 flex size-16 shrink-0 items-center justify-center rounded-md hover:bg-hover"
        onClick={onMenu}
      >
        <Menu aria-hidden size={24} />
      </button>
    </header>
  )
}

const RADIUS = 9
const LENGTH = 2 * Math.PI * RADIUS

/** Draws a ring that is filled in proportion to `fraction`, up to 1. */
function Ring({ fraction }: { fraction: number }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 24 24" className="size-7 shrink-0 -rotate-90" fill="none" strokeWidth="4">
      <circle cx="12" cy="12" r={RADIUS} className="stroke-neutral-soft" />
      <circle cx="12" cy="12" r={RADIUS} className="stroke-good" strokeDasharray={`${Math.min(1, fraction) * LENGTH} ${LENGTH}`} />
    </svg>
  )
}
