/** The result of a scan, readable at arm's length. The color, the word and the icon each identify it. */
import {
  Ban,
  Check,
  CircleAlert,
  CircleHelp,
  Clock,
  Eye,
  History,
  LogOut,
  type LucideIcon,
  MapPin,
  Undo2,
  UserX,
  WifiOff,
} from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { doorCopy } from '../copy/door'
import type { ResultKind, ScanResult } from './scan-result'

/** The icon and the background, which is dark enough for white text. Dashes and stripes help users who cannot distinguish the colors. */
const LOOKS: Record<ResultKind, { icon: LucideIcon; style: string }> = {
  admitted: { icon: Check, style: 'bg-[#126b3a]' },
  checked_out: { icon: LogOut, style: 'bg-[#0b5a8a]' },
  not_checked_in: { icon: UserX, style: 'bg-[#6d4c1f]' },
  replayed: { icon: History, style: 'bg-[#00605c]' },
  previewed: { icon: Eye, style: 'bg-[#1d4f91]' },
  already_checked_in: { icon: Clock, style: 'bg-[#8a4b00]' },
  canceled: { icon: Ban, style: 'bg-[#a01f31]' },
  other_event: { icon: MapPin, style: 'bg-[#6b2a8c]' },
  unknown: { icon: CircleHelp, style: 'bg-[#17171a] outline-4 outline-white outline-dashed -outline-offset-8' },
  undone: { icon: Undo2, style: 'bg-[#33475b]' },
  offline: { icon: WifiOff, style: 'bg-[#3b3b40] bg-[repeating-linear-gradient(45deg,#3b3b40_0_1rem,#4a4a50_1rem_2rem)]' },
  failed: { icon: CircleAlert, style: 'bg-[#5a4a3a]' },
}

/** Marks a result that did not come from the server, whatever its color. */
const STRIPES = 'bg-[image:repeating-linear-gradient(45deg,transparent_0_1rem,rgb(0_0_0/0.25)_1rem_2rem)]'

/** Returns the text that explains a result, if any. */
function getHint({ kind, details }: ScanResult): string | undefined {
  if (details?.local) return [details.message, details.local.hint].filter(Boolean).join(' ')
  switch (kind) {
    case 'admitted':
      return undefined
    case 'previewed':
      return doorCopy.previewedHint
    case 'unknown':
      return doorCopy.unknownHint
    case 'undone':
      return details?.message ?? doorCopy.undoneHint
    case 'offline':
      return doorCopy.offlineHint
    default:
      return details?.message
  }
}

/** How long a result is shown at full size, covering the camera, in milliseconds. */
const LARGE_MS = 2_500

/** Returns whether a result has been shown for long enough to shrink: an old result must not be mistaken for the next guest's. */
function useIsSmall(result: ScanResult | undefined): boolean {
  const [shown, setShown] = useState<ScanResult>()
  useEffect(() => {
    if (!result || result.kind === 'checking') return
    const timer = setTimeout(() => setShown(result), LARGE_MS)
    return () => clearTimeout(timer)
  }, [result])
  return result !== undefined && shown === result
}

/**
 * Shows a result over the lower part of the scanner, then shrinks it to a line at the bottom.
 *
 * @param place the place that the event's time zone is named after; undefined if the device shows the same time
 * @param children the actions, which follow the announced text
 */
export function Result({ result, place, children }: { result: ScanResult | undefined; place: string | undefined; children: ReactNode }) {
  const kind = result === undefined || result.kind === 'checking' ? undefined : result.kind
  const look = kind ? LOOKS[kind] : undefined
  const isSmall = useIsSmall(result)
  const shape = isSmall
    ? 'min-h-20 items-center gap-3 py-2 pr-3 pl-4'
    : 'max-h-full min-h-3/5 flex-col items-center justify-center overflow-y-auto px-4 py-6 text-center'
  return (
    <section
      data-outcome={kind}
      data-size={isSmall ? 'small' : 'large'}
      data-local={result?.details?.local ? true : undefined}
      className={`group absolute inset-x-0 bottom-0 flex ${look ? `rounded-t-2xl text-white ${shape} ${look.style} ${result?.details?.local ? STRIPES : ''}` : 'justify-center p-4'}`}
    >
      {result && !look ? <p className="rounded-full bg-ink px-5 py-2 text-lg text-page">{doorCopy.checking}</p> : null}
      {/* Always rendered, because screen readers announce only changes. Empty while checking, so that they repeat the same result. */}
      <div
        role="status"
        aria-live="assertive"
        aria-atomic="true"
        className={isSmall ? 'flex min-w-0 grow items-center gap-3' : 'flex max-w-full flex-col items-center'}
      >
        {result && kind && look ? <Announcement result={result} place={place} word={doorCopy.outcomes[kind]} icon={look.icon} /> : null}
      </div>
      {children}
    </section>
  )
}

/** Hides the details when the result shrinks to a line. Screen readers have already announced them. */
const DETAIL = 'wrap-anywhere group-data-[size=small]:hidden'

/** Matches text with a time of day, to which the place is added. */
const HAS_TIME = /\d:\d\d/

type AnnouncementProps = { result: ScanResult; place: string | undefined; word: string; icon: LucideIcon }

function Announcement({ result, place, word, icon: Icon }: AnnouncementProps) {
  const { guest, type, order, shortId } = result.details ?? {}
  const hint = getHint(result)
  return (
    <>
      <Icon aria-hidden size={80} strokeWidth={2.5} className="shrink-0 group-data-[size=small]:size-9" />
      <p className="mt-2 font-semibold text-[2.75rem] leading-tight tracking-tight group-data-[size=small]:mt-0 group-data-[size=small]:text-xl">
        {word}
      </p>
      {guest ? (
        <p className="wrap-anywhere mt-2 text-3xl leading-snug group-data-[size=small]:mt-0 group-data-[size=small]:truncate group-data-[size=small]:text-lg">
          {guest}
        </p>
      ) : null}
      {type ? <p className={`text-xl ${DETAIL}`}>{type}</p> : null}
      {hint ? <p className={`mt-2 text-lg ${DETAIL}`}>{place && HAS_TIME.test(hint) ? doorCopy.inZone(hint, place) : hint}</p> : null}
      {order || shortId ? <p className={`mt-2 font-mono text-base ${DETAIL}`}>{[order, shortId].filter(Boolean).join(' · ')}</p> : null}
    </>
  )
}
