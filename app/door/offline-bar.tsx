/** What a steward has to know before and while the doors are open: whether the list is on the device, how old it is, and what is unsent. */
import { useEffect, useState } from 'react'
import { doorCopy } from '../copy/door'
import type { Offline } from './use-offline'

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const TICK_MS = 5_000

/** Returns the current time, updated every few seconds. */
function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

function textOf({ status, problem }: Offline, now: number): string | undefined {
  const { offline: copy } = doorCopy
  if (problem) return copy.problems[problem]
  if (!status) return copy.opening
  if (status.isEnded) return copy.ended
  const unsent = status.unsent > 0 ? ` ${copy.unsent(status.unsent)}` : ''
  if (!status.isComplete || status.updatedAt === undefined) return `${copy.loading(status.tickets)}${unsent}`
  if (status.isOffline) return `${copy.offline(timeFormat.format(status.updatedAt))}${unsent}`
  const seconds = Math.max(0, Math.round((now - status.updatedAt) / 1000))
  return `${copy.ready(status.tickets, seconds)}${status.isKept ? '' : ` ${copy.notKept}`}${unsent}`
}

export function OfflineBar({ offline }: { offline: Offline }) {
  const now = useNow()
  const { status, problem } = offline
  const isBad = problem !== undefined || status?.isEnded
  const mode = isBad ? 'bad' : !status?.isComplete ? 'loading' : status.isOffline ? 'offline' : 'ready'
  const style = { bad: 'bg-bad-soft text-bad', loading: 'bg-idle-soft', offline: 'bg-warn-soft text-warn', ready: 'text-quiet' }[mode]
  return (
    <p data-offline={mode} data-unsent={status?.unsent ?? 0} className={`rounded-md px-2 py-1 text-sm ${style}`}>
      {textOf(offline, now)}
    </p>
  )
}
