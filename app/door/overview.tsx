/** The overview of the check-in page: turnout, refused scans, check-ins by device, this device's conflicts, and the recent scans. */
import type { ReactNode } from 'react'
import type { DeviceConflict } from '@/lib/admission/conflicts'
import type { Turnout } from '@/lib/admission/turnout'
import { conflictCopy } from '../copy/conflicts'
import { doorCopy } from '../copy/door'
import { formatCount } from '../copy/format'
import { formatDoorTime } from './door-time'
import type { ScanResult } from './scan-result'
import type { CountsAge } from './top-bar'
import { ZoneNotice } from './zone-notice'

type Props = {
  turnout: Turnout
  /** The age of the counts, and this device's additions to them; undefined while they are current. */
  age: CountsAge | undefined
  timeZone: string
  scans: ScanResult[]
  /** This device's offline scans that became conflicts. */
  conflicts: readonly DeviceConflict[]
  /** Opens the ticket of a scan, so that staff can still correct a mistake. */
  onOpen: (ticketId: string) => void
}

export function Overview({ turnout, age, timeZone, scans, conflicts, onOpen }: Props) {
  const { types, inside, perMinute, devices } = turnout
  const recent = perMinute.reduce((sum, count) => sum + count, 0)
  return (
    <div className="flex flex-col gap-6">
      <div className="tabular-nums">
        <p>{age ? doorCopy.insideAt(inside, age) : doorCopy.insideNow(inside, recent)}</p>
        <ZoneNotice timeZone={timeZone} />
      </div>
      <TurnoutByType types={types} age={age} />
      <RefusedScans scans={turnout.scans} age={age} />
      <ScansByDevice devices={devices} age={age} />
      <Conflicts timeZone={timeZone} scans={scans} conflicts={conflicts} />
      <RecentScans timeZone={timeZone} scans={scans} conflicts={conflicts} onOpen={onOpen} />
    </div>
  )
}

type CountsProps = Pick<Props, 'age'> & {
  id: string
  title: string
  lines: { id: string; name: string; count: string }[]
  /** A note below the title. */
  children?: ReactNode
}

/** A list of counts, hidden if it is empty. */
function Counts({ id, title, age, lines, children }: CountsProps) {
  if (lines.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="font-medium text-sm">
        {[title, age && doorCopy.asOf(age.time)].filter(Boolean).join(', ')}
      </h2>
      {children}
      <ul className="mt-1 flex flex-col gap-1 text-quiet text-sm tabular-nums">
        {lines.map((line) => (
          <li key={line.id} className="flex justify-between gap-4">
            <span className="truncate">{line.name}</span>
            <span className="whitespace-nowrap">{line.count}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function TurnoutByType({ types, age }: Pick<Turnout, 'types'> & Pick<Props, 'age'>) {
  // Guests who were let in with an unknown code are counted as inside under a type without tickets or attendance, which is hidden.
  const lines = types.flatMap(({ id, name, attended, sold }) =>
    sold > 0 || attended > 0 ? [{ id, name: name || doorCopy.noType, count: doorCopy.attended(attended, sold) }] : [],
  )
  return (
    <Counts id="turnout" title={doorCopy.turnout} age={age} lines={lines}>
      {age && age.admitted > 0 ? <p className="text-quiet text-sm">{doorCopy.turnoutHint(age.admitted)}</p> : null}
    </Counts>
  )
}

/** The outcomes of refused scans, in the order in which they are shown. */
const REFUSALS = ['already_checked_in', 'canceled', 'other_event', 'unknown', 'not_checked_in'] as const

function RefusedScans({ scans, age }: Pick<Turnout, 'scans'> & Pick<Props, 'age'>) {
  const lines = REFUSALS.flatMap((outcome) => {
    const count = scans[outcome] ?? 0
    return count > 0 ? [{ id: outcome, name: doorCopy.outcomes[outcome], count: formatCount(count) }] : []
  })
  return <Counts id="refused" title={doorCopy.refused} age={age} lines={lines} />
}

function ScansByDevice({ devices, age }: Pick<Turnout, 'devices'> & Pick<Props, 'age'>) {
  // A device that has only shown previews or checked guests out is hidden.
  const lines = devices.flatMap(({ id, name, scans }) => {
    const checkedIn = scans.admitted ?? 0
    const refused = REFUSALS.reduce((sum, outcome) => sum + (scans[outcome] ?? 0), 0)
    const count = doorCopy.deviceScans(checkedIn, refused)
    return checkedIn + refused > 0 ? [{ id, name: id === '' ? doorCopy.noDevice : name, count }] : []
  })
  return <Counts id="devices" title={doorCopy.byDevice} age={age} lines={lines} />
}

/** Returns the scan of a conflict; undefined if the scan is too old or the page has been reloaded since. */
export const findScan = (scans: readonly ScanResult[], { id }: DeviceConflict) => scans.find(({ details }) => details?.local?.scanId === id)

function Conflicts({ timeZone, scans, conflicts }: Pick<Props, 'timeZone' | 'scans' | 'conflicts'>) {
  if (conflicts.length === 0) return null
  return (
    <section aria-labelledby="conflicts">
      <h2 id="conflicts" className="font-medium text-sm">
        {doorCopy.conflicts}
      </h2>
      <p className="text-quiet text-sm">{doorCopy.conflictsHint}</p>
      <ul className="mt-1 text-sm">
        {conflicts.map((conflict) => {
          const { id, kind, at, otherAt, otherGate } = conflict
          const scanned = findScan(scans, conflict)?.details
          const other = otherAt && doorCopy.conflictOther(otherGate, formatDoorTime(timeZone, Date.parse(otherAt)))
          const who = [scanned?.guest, scanned?.shortId, other].filter(Boolean).join(' · ')
          return (
            <li key={id} className="flex gap-3 border-line border-t py-2 first:border-t-0">
              <span className="min-w-0">
                <span className="block font-medium text-bad">{conflictCopy.kinds[kind]}</span>
                {who ? <span className="wrap-anywhere block text-quiet">{who}</span> : null}
              </span>
              <span className="ml-auto shrink-0 text-quiet tabular-nums">{formatDoorTime(timeZone, Date.parse(at))}</span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function RecentScans({ timeZone, scans, conflicts, onOpen }: Pick<Props, 'timeZone' | 'scans' | 'conflicts' | 'onOpen'>) {
  const conflictingIds = new Set(conflicts.map((conflict) => findScan(scans, conflict)?.id))
  return (
    <section aria-labelledby="recent">
      <h2 id="recent" className="font-medium text-sm">
        {doorCopy.recent}
      </h2>
      {scans.length === 0 ? <p className="text-quiet text-sm">{doorCopy.noneYet}</p> : null}
      <ol className="mt-1 text-sm">
        {scans.map(({ id, kind, at, details }) => {
          const ticketId = details?.ticketId
          const line = (
            <>
              <span className="w-28 shrink-0 font-medium">
                {doorCopy.outcomes[kind]}
                {conflictingIds.has(id) ? <span className="block text-bad text-xs">{doorCopy.conflict}</span> : null}
              </span>
              <span className="truncate text-quiet">{[details?.guest, details?.order].filter(Boolean).join(' · ')}</span>
              <span className="ml-auto shrink-0 text-quiet tabular-nums">{formatDoorTime(timeZone, at)}</span>
            </>
          )
          return (
            <li key={id} className="border-line border-t first:border-t-0">
              {ticketId === undefined ? (
                <p className="flex min-h-16 items-center gap-3 py-2">{line}</p>
              ) : (
                <button
                  type="button"
                  className="flex min-h-16 w-full items-center gap-3 py-2 text-left hover:bg-hover"
                  onClick={() => onOpen(ticketId)}
                >
                  {line}
                </button>
              )}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
