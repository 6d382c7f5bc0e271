/** The status line: whether the device can work offline, how old its list is, and how many scans are unsent. */
import { CircleAlert, CircleCheck, Hourglass, type LucideIcon, RefreshCw, ShieldCheck, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { doorCopy } from '../copy/door'
import { formatDoorTime } from './door-time'
import { type CameraState, useCameraState } from './use-camera-state'
import type { Offline } from './use-offline'

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

/** Formats how long ago a time was, in seconds or minutes, or as a time of day if it was at least an hour ago. */
function formatAge(at: number, now: number, timeZone: string): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000))
  if (seconds < 60) return doorCopy.offline.ago(seconds, 's')
  return seconds < 3600 ? doorCopy.offline.ago(Math.round(seconds / 60), 'min') : formatDoorTime(timeZone, at, now)
}

/** Returns the text of the status line. @param now milliseconds since 1970 */
export function describeState(
  { status, problem }: Pick<Offline, 'status' | 'problem'>,
  camera: CameraState,
  now: number,
  timeZone: string,
): string {
  const { offline: copy } = doorCopy
  const unsent = status && status.unsent > 0 ? ` ${copy.unsent(status.unsent)}` : ''
  if (problem) return `${copy.problems[problem]}${unsent}`
  if (!status) return copy.opening
  if (status.isEnded) return `${copy.ended}${unsent}`
  if (status.isOutdated) return `${copy.outdated}${unsent}`
  if (!status.isComplete || status.updatedAt === undefined) return `${copy.loading(status.tickets)}${unsent}`
  if (status.isOffline) {
    const missing = status.waiting > 0 ? ` ${copy.missing(status.waiting)}` : ''
    return `${copy.offline(formatDoorTime(timeZone, status.updatedAt, now))}${missing}${unsent}`
  }
  if (status.waiting > 0) return `${copy.preparing(status.waiting, status.tickets + status.waiting)}${unsent}`
  const parts = [
    copy.ready(status.tickets),
    copy.updated(formatAge(status.updatedAt, now, timeZone)),
    status.isPersistent ? copy.kept : copy.notKept,
    copy.camera[camera],
    ...(status.isInstalled ? [] : [copy.notInstalled]),
  ]
  return `${parts.join(', ')}.${unsent}`
}

type Mode = 'bad' | 'outdated' | 'loading' | 'preparing' | 'storing' | 'offline' | 'ready'

/**
 * Returns the mode, which determines the color and the icon. A `ready` device can work offline, even if its storage is not persistent. With
 * `storing`, the page is not stored yet, so it cannot be opened offline.
 */
export function getMode({ status, problem }: Pick<Offline, 'status' | 'problem'>): Mode {
  if (problem !== undefined || status?.isEnded) return 'bad'
  if (status?.isOutdated) return 'outdated'
  if (!status?.isComplete) return 'loading'
  if (status.isOffline) return 'offline'
  if (status.waiting > 0) return 'preparing'
  return status.isInstalled ? 'ready' : 'storing'
}

const STYLES: Record<Mode, string> = {
  bad: 'bg-bad-soft text-bad',
  loading: 'bg-neutral-soft',
  preparing: 'bg-neutral-soft',
  storing: 'bg-neutral-soft',
  outdated: 'bg-warn-soft text-warn',
  offline: 'bg-warn-soft text-warn',
  ready: 'bg-good-soft text-good',
}

const ICONS: Record<Mode, LucideIcon> = {
  bad: CircleAlert,
  loading: Hourglass,
  preparing: Hourglass,
  storing: Hourglass,
  outdated: RefreshCw,
  offline: WifiOff,
  ready: CircleCheck,
}

type Props = { offline: Offline; timeZone: string; isCameraOn?: boolean }

export function OfflineBar({ offline, timeZone, isCameraOn = false }: Props) {
  const now = useNow()
  const camera = useCameraState(isCameraOn)
  const { status } = offline
  const mode = getMode(offline)
  const Icon = mode === 'ready' && status?.isPersistent ? ShieldCheck : ICONS[mode]
  return (
    <div
      role={mode === 'bad' ? 'alert' : undefined}
      data-offline={mode}
      data-unsent={status?.unsent ?? 0}
      className={`flex min-h-12 shrink-0 items-center gap-2 px-3 py-1 text-sm leading-tight ${STYLES[mode]}`}
    >
      <Icon aria-hidden size={20} className="shrink-0" />
      <p>{describeState(offline, camera, now, timeZone)}</p>
      {mode === 'outdated' ? (
        <button type="button" className="button ml-auto h-16 shrink-0 text-ink" onClick={() => window.location.reload()}>
          {doorCopy.offline.reload}
        </button>
      ) : null}
    </div>
  )
}
