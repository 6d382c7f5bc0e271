/** The customer card of an order or subscription: contact details, lifetime value, and other orders and subscriptions. */
import { Suspense } from 'react'
import { Link } from '@/app/_components/link'
import { customerCopy } from '@/app/copy/customer'
import { recordCopy } from '@/app/copy/record'
import { resources } from '@/lib/catalog'
import { CUSTOMER_RESOURCES, type CustomerKey, findCustomerOrders } from '@/lib/listing/customer-orders'
import { formatTotals, LatestRecord } from './customer-orders'
import type { Entry } from './entries'
import { Card, Entries } from './sections'

/** The maximum number of other orders and subscriptions to show. */
const MAX_OTHER_ORDERS = 3

type Props = {
  /** The contact details in the record. */
  entries: Entry[]
  /** The path of the customer's page or of a search for the customer. Undefined if neither is possible. */
  href: string | undefined
  sellerId: string
  customer: CustomerKey
  /** The ID of the page's record, to omit it from the list of other orders. */
  recordId: string
  timeZone: string
}

export function CustomerCard({ entries, href, ...rest }: Props) {
  return (
    <Card id="customer" title={recordCopy.customer}>
      <Entries entries={entries} />
      {rest.customer.id || rest.customer.email ? (
        <Suspense fallback={<p className="mt-2 min-h-28 text-quiet text-sm">{recordCopy.loading}</p>}>
          <OtherOrders {...rest} />
        </Suspense>
      ) : null}
      {href ? (
        <Link href={href} className="mt-2 inline-block text-accent text-sm underline-offset-4 hover:underline">
          {recordCopy.viewCustomer}
        </Link>
      ) : null}
    </Card>
  )
}

async function OtherOrders({ sellerId, customer, recordId, timeZone }: Omit<Props, 'entries' | 'href'>) {
  const { lists } = await findCustomerOrders(sellerId, customer)
  const others = CUSTOMER_RESOURCES.flatMap((name) =>
    lists[name].latest.map((text) => ({ name, record: JSON.parse(text) as Record<string, unknown> })),
  )
    .filter(({ record }) => record.id !== recordId)
    .sort((a, b) => (String(a.record.createdAt) < String(b.record.createdAt) ? 1 : -1))
  const counts = CUSTOMER_RESOURCES.flatMap((name) => (lists[name].count > 0 ? [customerCopy.counts[name](lists[name].count)] : []))
  return (
    <div className="mt-2 min-h-28 border-line border-t pt-2 text-sm">
      <dl className="grid grid-cols-[1fr_auto] gap-x-4">
        <dt title={customerCopy.spentHint} className="text-quiet">
          {recordCopy.lifetime}
        </dt>
        <dd className="font-medium tabular-nums">{formatTotals(lists)}</dd>
      </dl>
      <p className="text-quiet">{counts.join(', ')}</p>
      <h3 className="mt-2 text-quiet">{others.length > 0 ? recordCopy.otherOrders : recordCopy.noOtherOrders}</h3>
      <ul>
        {others.slice(0, MAX_OTHER_ORDERS).map(({ name, record }) => (
          <LatestRecord key={`${name} ${record.id}`} name={name} record={record} timeZone={timeZone} detail={resources[name].label.one} />
        ))}
      </ul>
    </div>
  )
}
