/** Lists what needs the seller's attention, with links. Keys and webhooks are shown only to owners, who can manage them. */
import { Link } from '@/app/_components/link'
import { formatDay } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'
import { listKeys } from '@/lib/accounts/api-keys'
import { isExpiring } from '@/lib/accounts/key-expiry'
import { mayUse } from '@/lib/accounts/roles'
import type { SessionUser } from '@/lib/accounts/sessions'
import { countOpenConflicts } from '@/lib/admission/conflicts'
import { formatMoney } from '@/lib/core/money'
import { dayIn } from '@/lib/core/time'
import { type FailureCounts, type PastDue, sumPastDue } from '@/lib/reports/attention'
import { loadUnhealthyEndpoints } from '../unhealthy-webhooks'
import { Card } from './card'
import { failuresHref } from './tiles'

type Props = {
  user: SessionUser
  failures: FailureCounts
  /** The number of past-due subscriptions. */
  pastDue: number
}

/** Returns text such as "€42.00 · since Nov 3, 2026". */
function describePastDue({ sums, since }: PastDue, timeZone: string): string {
  const amounts = sums.map(({ currency, amount }) => formatMoney(amount, currency || undefined))
  const day = since && dayIn(timeZone, new Date(since))
  return [...amounts, ...(day ? [overviewCopy.attention.since(formatDay(day))] : [])].join(' · ')
}

export async function Attention({ user, failures, pastDue }: Props) {
  const copy = overviewCopy.attention
  const isOwner = mayUse(user.role, 'settings')
  const [conflicts, pastDueTotals, keys, endpoints] = await Promise.all([
    countOpenConflicts(user.sellerId),
    pastDue > 0 ? sumPastDue(user.sellerId) : undefined,
    isOwner ? listKeys(user.sellerId) : [],
    isOwner ? loadUnhealthyEndpoints(user.sellerId) : [],
  ])
  const now = Date.now()
  const items = [
    { count: failures.payments, text: copy.payments, href: failuresHref('payments', failures) },
    { count: failures.bookings, text: copy.bookings, href: failuresHref('bookings', failures) },
    {
      count: pastDue,
      text: copy.pastDue,
      href: '/subscriptions?status=past_due',
      hint: pastDueTotals && describePastDue(pastDueTotals, user.timeZone),
    },
    { count: endpoints.length, text: copy.webhooks, href: '/settings/webhooks' },
    { count: keys.filter((key) => isExpiring(key, now)).length, text: copy.keys, href: '/settings/keys' },
    { count: conflicts, text: copy.conflicts, href: '/settings/devices/conflicts' },
  ].filter(({ count }) => count > 0)
  return (
    <Card id="attention" title={copy.title}>
      {items.length === 0 ? <p className="text-quiet text-sm">{copy.none}</p> : null}
      <ul className="text-sm empty:hidden">
        {items.map(({ count, text, href, hint }) => (
          <li key={href} className="border-line border-t first:border-t-0">
            <Link href={href} className="flex items-center justify-between gap-4 py-2.5 underline-offset-4 hover:underline">
              <span>
                {text(count)}
                {hint ? <span className="block text-quiet tabular-nums">{hint}</span> : null}
              </span>
              <span aria-hidden className="text-quiet">
                →
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
