/** The result of a scan, readable at arm's length. Color, word and icon each convey it on their own. */
import {
  Ban,
  Check,
  CircleAlert,
  CircleHelp,
  Clock,
  DoorOpen,
  Eye,
  History,
  LogOut,
  type LucideIcon,
  MapPin,
  Undo2,
  UserX,
  WifiOff,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { doorCopy } from '../copy/door'
import type { ResultKind, ScanResult } from './scan-result'

/** Dark enough for white text in both themes. Dashes and stripes help users who cannot distinguish the colors. */
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

/** Marks what was decided without the server, on top of any color. */
const STRIPES = 'bg-[image:repeating-linear-gradient(45deg,transparent_0_1rem,rgb(0_0_0/0.25)_1rem_2rem)]'

function hintOf({ kind, details }: ScanResult): string | undefined {
  if (details?.local) return [details.message, details.local.hint].filter(Boolean).join(' ')
  switch (kind) {
    case 'admitted':
      return undefined
    case 'previewed':
      return doorCopy.previewedHint
    case 'unknown':
      return doorCopy.unknownHint
    case 'undone':
      return doorCopy.undoneHint
    case 'offline':
      return doorCopy.offlineHint
    default:
      return details?.message
  }
}

/** @param children the actions, after the announced text */
export function Result({ result, children }: { result: ScanResult | undefined; children: ReactNode }) {
  const kind = result === undefined || result.kind === 'checking' ? undefined : result.kind
  const look = kind ? LOOKS[kind] : undefined
  return (
    <section
      data-outcome={kind}
      data-local={result?.details?.local ? true : undefined}
      className={`flex min-h-64 grow flex-col items-center justify-center rounded-xl px-4 py-6 text-center ${look ? `text-white ${look.style} ${result?.details?.local ? STRIPES : ''}` : 'border border-line border-dashed text-quiet'}`}
    >
      {look ? null : (
        <>
          <DoorOpen aria-hidden size={40} />
          <p className="mt-2 text-lg">{result ? doorCopy.checking : doorCopy.waiting}</p>
        </>
      )}
      {/* Always rendered, because screen readers announce only changes. Emptied while checking, so that a repeated result is announced again. */}
      <div role="status" aria-live="assertive" aria-atomic="true" className="flex max-w-full flex-col items-center">
        {result && kind && look ? <Announcement result={result} word={doorCopy.outcomes[kind]} icon={look.icon} /> : null}
      </div>
      {children}
    </section>
  )
}

function Announcement({ result, word, icon: Icon }: { result: ScanResult; word: string; icon: LucideIcon }) {
  const { guest, type, order, shortId } = result.details ?? {}
  const hint = hintOf(result)
  return (
    <>
      <Icon aria-hidden size={80} strokeWidth={2.5} />
      <p className="mt-2 font-semibold text-[2.75rem] leading-tight tracking-tight">{word}</p>
      {guest ? <p className="wrap-anywhere mt-2 text-3xl leading-snug">{guest}</p> : null}
      {type ? <p className="wrap-anywhere text-xl">{type}</p> : null}
      {hint ? <p className="wrap-anywhere mt-2 text-lg">{hint}</p> : null}
      {order || shortId ? <p className="wrap-anywhere mt-2 font-mono text-base">{[order, shortId].filter(Boolean).join(' · ')}</p> : null}
    </>
  )
}
