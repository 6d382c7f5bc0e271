/** Renders a record's banner, such as "Payment failed", with the reason and the time. */
import { TONE_CLASSES } from '@/app/_components/status-badge'
import type { Banner } from './banner'

export const BannerCard = ({ banner: { tone, title, reason, details } }: { banner: Banner }) => (
  <div className={`mb-4 rounded-lg px-4 py-3 text-sm ${TONE_CLASSES[tone]}`}>
    <p dir="auto" className="wrap-anywhere font-medium">
      {title}
      {reason ? <> — {reason}</> : null}
    </p>
    {details.length > 0 ? <p className="mt-0.5 tabular-nums">{details.join(' · ')}</p> : null}
  </div>
)
