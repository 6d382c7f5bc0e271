/** The card with the monthly recurring revenue, and the numbers of active, new, churned and past-due subscriptions. */
import { Link } from '@/app/_components/link'
import { formatCount } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'
import { formatMoney } from '@/lib/core/money'
import type { SubscriptionReport } from '@/lib/reports/subscriptions'
import { Card } from './card'
import { Stat } from './stat'

const HINT_ID = 'mrr-hint'

const Row = ({ label, children }: { label: string; children: string }) => (
  <div className="flex justify-between gap-4 border-line border-t py-2">
    <dt>{label}</dt>
    <dd className="m-0">{children}</dd>
  </div>
)

export function Subscriptions({ report: { isCurrent, active, before, created, churned, mrr, pastDue } }: { report: SubscriptionReport }) {
  const copy = overviewCopy.subscriptions
  const when = isCurrent ? 'now' : 'atEnd'
  return (
    <Card
      id="subscriptions"
      title={copy.title}
      aside={
        <button
          type="button"
          popoverTarget={HINT_ID}
          aria-label={copy.mrrQuestion}
          className="grid size-6 place-items-center rounded-full border border-line text-quiet text-xs hover:text-ink max-lg:size-11 max-lg:border-transparent max-lg:text-sm"
        >
          ?
        </button>
      }
    >
      <p
        id={HINT_ID}
        popover="auto"
        className="beside-button w-80 max-w-[calc(100vw-2rem)] rounded-xl border border-line bg-card p-4 text-ink text-sm shadow-xl"
      >
        {copy.mrrHint}
      </p>
      <dl className="mb-4 flex flex-wrap gap-x-8 gap-y-3">
        {mrr.length === 0 ? <Stat label={copy.mrr[when]} value={0} before={undefined} /> : null}
        {mrr.map(({ currency, mrr: value, before: start }) => (
          <Stat
            key={currency ?? ''}
            label={`${copy.mrr[when]} · ${currency ?? overviewCopy.noCurrency}`}
            value={value}
            before={start}
            format={(amount) => formatMoney(amount, currency)}
            describeBefore={overviewCopy.atStart}
          />
        ))}
      </dl>
      <dl className="text-sm tabular-nums">
        <Row label={copy.active[when]}>{`${formatCount(active)} (${overviewCopy.atStart(formatCount(before))})`}</Row>
        <Row label={copy.created}>{formatCount(created)}</Row>
        <Row label={copy.churned}>{formatCount(churned)}</Row>
        <Row label={copy.pastDue}>{formatCount(pastDue)}</Row>
      </dl>
      <Link href="/subscriptions" className="mt-2 inline-block py-1 text-accent text-sm underline-offset-4 hover:underline">
        {copy.all}
      </Link>
    </Card>
  )
}
