/** The start screen: the status line, the choice of the event, the device's name, and whether to work offline. */
import { type FormEvent, useState } from 'react'
import type { Turnout } from '@/lib/admission/turnout'
import { doorCopy } from '../copy/door'
import { type DoorEvent, listChoices } from './door-events'
import { formatStart } from './door-time'
import { OfflineBar } from './offline-bar'
import { unlockSound } from './signals'
import type { Offline } from './use-offline'
import type { Settings } from './use-settings'
import { ZoneNotice } from './zone-notice'

type Props = {
  sellerName: string
  events: readonly DoorEvent[]
  /** Returns the newest available counts of an event. */
  countEvent: (pageId: string) => Pick<Turnout, 'attended' | 'sold'>
  /** Whether all events can be selected. */
  allowsAll: boolean
  /** The fixed name of a check-in device; undefined for users. */
  deviceName: string | undefined
  timeZone: string
  settings: Settings
  /** Undefined if this browser cannot work offline. */
  offline: Offline | undefined
  /** Whether this browser can become a device that works offline. */
  mayEnroll: boolean
  onStart: (chosen: Pick<Settings, 'pageId' | 'device'>, shouldEnroll: boolean) => Promise<void>
}

const copy = doorCopy.start

const formatCounts = ({ attended, sold }: Pick<Turnout, 'attended' | 'sold'>) => doorCopy.attended(attended, sold)

const ROW = 'flex min-h-16 cursor-pointer items-center gap-3 rounded-xl border border-line bg-card px-4 py-2 has-checked:border-accent'

export function StartScreen({
  sellerName,
  events,
  countEvent,
  allowsAll,
  deviceName,
  timeZone,
  settings,
  offline,
  mayEnroll,
  onStart,
}: Props) {
  const [pageId, setPageId] = useState(settings.pageId)
  const [device, setDevice] = useState(settings.device)
  const [shouldEnroll, setShouldEnroll] = useState(true)
  const [isPending, setPending] = useState(false)
  const choices = listChoices(events, { timeZone, allowsAll, pageId: settings.pageId })

  async function start(event: FormEvent) {
    event.preventDefault()
    // Browsers allow sound only after a user gesture, and this is the last one before the first scan.
    unlockSound()
    setPending(true)
    await onStart({ pageId, device: device.trim() }, mayEnroll && shouldEnroll)
  }

  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col px-4 py-6">
      <p className="text-quiet text-sm">{sellerName}</p>
      <h1 className="mb-3 font-semibold text-2xl tracking-tight">{deviceName ?? doorCopy.title}</h1>
      {offline ? <OfflineBar offline={offline} timeZone={timeZone} /> : null}
      {offline?.status && !offline.status.isPersistent ? <p className="mt-1 text-quiet text-sm">{doorCopy.offline.notKeptHint}</p> : null}
      <ZoneNotice timeZone={timeZone} />
      <form onSubmit={start} className="mt-3 flex grow flex-col gap-5">
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium text-sm">{copy.event}</legend>
          {choices.map(({ id, name, startsAt }) => (
            <label key={id} className={ROW}>
              <input type="radio" name="event" className="size-5 shrink-0" checked={pageId === id} onChange={() => setPageId(id)} />
              <span className="min-w-0 grow">
                <span className="wrap-anywhere block font-medium">{name}</span>
                {startsAt ? <span className="block text-quiet text-sm">{formatStart(timeZone, Date.parse(startsAt))}</span> : null}
              </span>
              <span className="shrink-0 text-quiet text-sm tabular-nums">{formatCounts(countEvent(id))}</span>
            </label>
          ))}
          {allowsAll ? (
            <label className={ROW}>
              <input type="radio" name="event" className="size-5 shrink-0" checked={pageId === ''} onChange={() => setPageId('')} />
              <span className="font-medium">{doorCopy.anyEvent}</span>
            </label>
          ) : null}
        </fieldset>
        {deviceName === undefined ? (
          <label className="flex flex-col gap-1 font-medium text-sm">
            {doorCopy.device}
            <input
              className="field h-16 text-base"
              placeholder={doorCopy.deviceHint}
              autoComplete="off"
              maxLength={64}
              value={device}
              onChange={(event) => setDevice(event.target.value)}
            />
          </label>
        ) : null}
        {mayEnroll ? (
          <label className="flex min-h-16 items-center gap-3">
            <input
              type="checkbox"
              className="size-6 shrink-0"
              checked={shouldEnroll}
              onChange={(event) => setShouldEnroll(event.target.checked)}
            />
            <span>
              <span className="block font-medium">{copy.enroll}</span>
              <span className="block text-quiet text-sm">{copy.enrollHint}</span>
            </span>
          </label>
        ) : null}
        <button type="submit" className="button-primary sticky bottom-4 mt-auto h-16 w-full text-lg" disabled={isPending}>
          {isPending ? copy.starting : copy.submit}
        </button>
      </form>
    </main>
  )
}
