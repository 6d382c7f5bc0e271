/** The answer, to be seen at arm's length: colour, word and icon, each of which would do alone. */
import { Ban, Check, CircleHelp, Clock, DoorOpen, Eye, type LucideIcon, MapPin, WifiOff } from 'lucide-react'
import { doorWords } from '../words/door'
import type { ScanAnswer, ScanKind } from './answers'

export type Shown = { id: number; kind: ScanKind | 'offline'; answer?: ScanAnswer }

const LOOKS: Record<Shown['kind'], { icon: LucideIcon; style: string }> = {
  admitted: { icon: Check, style: 'bg-[#126b3a] text-white' },
  looked: { icon: Eye, style: 'bg-[#1d4f91] text-white' },
  already_checked_in: { icon: Clock, style: 'bg-[#8a4b00] text-white' },
  canceled: { icon: Ban, style: 'bg-[#a01f31] text-white' },
  other_event: { icon: MapPin, style: 'bg-[#6b2a8c] text-white' },
  unknown: { icon: CircleHelp, style: 'bg-[#a01f31] text-white' },
  offline: { icon: WifiOff, style: 'bg-[#3b3b40] text-white' },
}

export function Result({ shown, pending }: { shown: Shown | undefined; pending: boolean }) {
  if (pending || !shown) {
    return (
      <div
        className="flex grow flex-col items-center justify-center rounded-xl border border-line border-dashed py-14 text-quiet"
        role="status"
      >
        <DoorOpen aria-hidden size={40} />
        <p className="mt-2 text-lg">{pending ? doorWords.checking : doorWords.waiting}</p>
      </div>
    )
  }
  const { icon: Icon, style } = LOOKS[shown.kind]
  const { guest, type, order, shortId, message } = shown.answer ?? {}
  const hint =
    shown.kind === 'offline'
      ? doorWords.offlineHint
      : shown.kind === 'looked'
        ? doorWords.lookedHint
        : shown.kind === 'admitted'
          ? ''
          : message
  return (
    <div
      role="status"
      aria-live="assertive"
      data-outcome={shown.kind}
      className={`flex grow flex-col items-center justify-center rounded-xl px-4 py-10 text-center ${style}`}
    >
      <Icon aria-hidden size={72} strokeWidth={2.5} />
      <p className="mt-2 font-semibold text-4xl tracking-tight">{doorWords.outcomes[shown.kind]}</p>
      {guest ? <p className="mt-3 text-2xl">{guest}</p> : null}
      {type ? <p className="text-xl">{type}</p> : null}
      {hint ? <p className="mt-2 text-lg">{hint}</p> : null}
      {order ? <p className="mt-2 font-mono text-sm">{[order, shortId].filter(Boolean).join(' · ')}</p> : null}
    </div>
  )
}
