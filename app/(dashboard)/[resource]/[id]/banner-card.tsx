/** Renders a record's banner, such as "Payment failed", with the reason and the time. */
import type { Tone } from '@/app/_components/cells'
import type { Banner } from './banner'

const LOOKS: Record<Tone, string> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  idle: 'bg-idle-soft text-ink',
}

export const BannerCard = ({ banner: { tone, title, reason, details } }: { banner: Banner }) => (
  <div className={`mb-4 rounded-lg px-4 py-3 text-sm ${LOOKS[tone]}`}>
    <p dir="auto" className="wrap-anywhere font-medium">
      {title}
      {reason ? <> — {reason}</> : null}
    </p>
    {details.length > 0 ? <p className="mt-0.5 tabular-nums">{details.join(' · ')}</p> : null}
  </div>
)
