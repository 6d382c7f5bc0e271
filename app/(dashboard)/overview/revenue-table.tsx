/** The chart's data as a table. */
import { Link } from '@/app/_components/link'
import { formatCount } from '@/app/copy/format'
import { overviewCopy } from '@/app/copy/overview'
import { NO_CURRENCY } from '@/lib/core/no-currency'
import type { Bucket } from './buckets'
import { daysHref } from './view'

type Props = {
  buckets: Bucket[]
  currency: string | undefined
  isCompared: boolean
  /** Formats an amount in minor units. */
  format: (amount: number) => string
}

export function RevenueTable({ buckets, currency, isCompared, format }: Props) {
  const headers = [overviewCopy.revenue, overviewCopy.orders, ...(isCompared ? [overviewCopy.dayBefore] : [])]
  return (
    <table className="mt-2 w-full text-sm tabular-nums">
      <thead className="text-quiet">
        <tr>
          <th scope="col" className="py-1 text-left font-medium">
            {overviewCopy.day}
          </th>
          {headers.map((header) => (
            <th key={header} scope="col" className="py-1 text-right font-medium">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {buckets.map(({ first, last, list, label, revenue, orders, before }) => (
          <tr key={first} className="border-line border-t">
            <th scope="row" className="py-1 text-left font-normal">
              <Link href={daysHref(list, first, last, currency ?? NO_CURRENCY)} className="underline-offset-4 hover:underline">
                {label}
              </Link>
            </th>
            <td className="py-1 text-right">{format(revenue)}</td>
            <td className="py-1 text-right">{formatCount(orders)}</td>
            {isCompared ? <td className="py-1 text-right text-quiet">{format(before)}</td> : null}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
