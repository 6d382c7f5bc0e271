/** The answer, to be seen at arm's length: colour, word and icon, each of which would do alone. */
import { Ban, Check, CircleAlert, CircleHelp, Clock, DoorOpen, Eye, type LucideIcon, MapPin, Undo2, WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { doorWords } from '../copy/door'
import type { Shown, ShownKind } from './shown'

/** Dark enough for white in either theme; dashes and stripes for those who can't tell the colours apart. */
const LOOKS: Record<ShownKind, { icon: LucideIcon; style: string }> = {
  admitted: { icon: Check, style: 'bg-[#126b3a]' },
  previewed: { icon: Eye, style: 'bg-[#1d4f91]' },
  already_checked_in: { icon: Clock, style: 'bg-[#8a4b00]' },
  canceled: { icon: Ban, style: 'bg-[#a01f31]' },
  other_event: { icon: MapPin, style: 'bg-[#6b2a8c]' },
  unknown: { icon: CircleHelp, style: 'bg-[#17171a] outline-4 outline-white outline-dashed -outline-offset-8' },
  undone: { icon: Undo2, style: 'bg-[#33475b]' },
  offline: { icon: WifiOff, style: 'bg-[#3b3b40] bg-[repeating-linear-gradient(45deg,#3b3b40_0_1rem,#4a4a50_1rem_2rem)]' },
  failed: { icon: CircleAlert, style: 'bg-[#5a4a3a]' },
}

function hintOf({ kind, answer }: Shown): string | undefined {
  switch (kind) {
    case 'admitted':
      return undefined
    case 'previewed':
      return doorWords.previewedHint
    case 'unknown':
      return doorWords.unknownHint
    case 'undone':
      return doorWords.undoneHint
    case 'offline':
      return doorWords.offlineHint
    default:
      return answer?.message
  }
}

/** @param children what can be done about it, behind what is read out */
export function Result({ shown, children }: { shown: Shown | undefined; children: ReactNode }) {
  const kind = shown === undefined || shown.kind === 'checking' ? undefined : shown.kind
  const look = kind ? LOOKS[kind] : undefined
  return (
    <section
      data-outcome={kind}
      className={`flex min-h-64 grow flex-col items-center justify-center rounded-xl px-4 py-6 text-center ${look ? `text-white ${look.style}` : 'border border-line border-dashed text-quiet'}`}
    >
      {look ? null : (
        <>
          <DoorOpen aria-hidden size={40} />
          <p className="mt-2 text-lg">{shown ? doorWords.checking : doorWords.waiting}</p>
        </>
      )}
      {/* Always there, for only what changes in it is read out: emptied while checking, so that the same answer twice is read twice. */}
      <div role="status" aria-live="assertive" aria-atomic="true" className="flex max-w-full flex-col items-center">
        {shown && kind && look ? <Answer shown={shown} word={doorWords.outcomes[kind]} icon={look.icon} /> : null}
      </div>
      {children}
    </section>
  )
}

function Answer({ shown, word, icon: Icon }: { shown: Shown; word: string; icon: LucideIcon }) {
  const { guest, type, order, shortId } = shown.answer ?? {}
  const hint = hintOf(shown)
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
