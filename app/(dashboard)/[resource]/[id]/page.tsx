/** Record page: timeline, customer, items and payment breakdown. Shows every field of the record. */
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { statusLabel, statusTone } from '@/app/_components/cells'
import { StatusMark } from '@/app/_components/status-mark'
import { listCopy } from '@/app/copy/list'
import { recordCopy } from '@/app/copy/record'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { mayUse } from '@/lib/accounts/roles'
import { ticketsOfBooking } from '@/lib/admission/booking-tickets'
import { isResourceName, resources } from '@/lib/catalog'
import { coupons } from '@/lib/catalog/coupons'
import { MAX_SEARCH } from '@/lib/catalog/list-params'
import { formatMoney } from '@/lib/core/money'
import { OBJECT_ID } from '@/lib/core/object-id'
import { localIn } from '@/lib/core/time'
import { findRecord } from '@/lib/listing/find-record'
import { EditCoupon } from '../_coupons/coupon-dialogs'
import type { EditedCoupon } from '../_coupons/coupon-forms'
import { CustomerOrders } from './customer'
import { CustomerDialogs } from './customer-dialogs'
import type { EditedCustomer } from './customer-form'
import { Card, Charges, Entries, History, Lines } from './sections'
import { Tickets } from './tickets'
import { makeView } from './view'

type Props = { params: Promise<{ resource: string; id: string }> }
type JsonRecord = Record<string, unknown>

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { resource } = await params
  return { title: isResourceName(resource) ? `${resources[resource].label.one} · ${shopCopy.name}` : shopCopy.name }
}

const getString = (record: JsonRecord, name: string) => (typeof record[name] === 'string' && record[name] !== '' ? record[name] : undefined)

function loadTickets(sellerId: string, record: JsonRecord) {
  return ticketsOfBooking(sellerId, { id: String(record.id), orderId: getString(record, 'orderId') })
}

/** Returns the names of ticket types by ID. Tickets store only the type ID; the names are on the booking's line items. */
function getTypeNames({ tickets }: JsonRecord): Map<string, string> {
  const lines = Array.isArray(tickets) ? (tickets as JsonRecord[]) : []
  return new Map(
    lines.flatMap((line) => {
      const [id, name] = [getString(line, 'ticketTypeId'), getString(line, 'name')]
      return id && name ? [[id, name]] : []
    }),
  )
}

/** Returns the page of a record's customer, or else a search for the email address. */
async function findCustomerHref(sellerId: string, record: JsonRecord): Promise<string | undefined> {
  const [id = '', email = ''] = ['customerId', 'customerEmail'].map((name) => getString(record, name))
  if (OBJECT_ID.test(id) && (await findRecord(resources.customers, sellerId, id)) !== undefined) return `/customers/${id.toLowerCase()}`
  return email && [...email].length <= MAX_SEARCH ? `/customers?search=${encodeURIComponent(email)}` : undefined
}

function toEdited(record: JsonRecord, timeZone: string): EditedCoupon {
  const { id, code, label, maxRedemptions, redeemBy, pageIds = [], deleted } = coupons.record.parse(record)
  return { id, code, label, maxRedemptions, redeemBy: localIn(timeZone, redeemBy), pageIds, deleted }
}

export default async function RecordPage({ params }: Props) {
  const { resource: name, id } = await params
  if (!isResourceName(name)) notFound()
  const user = await requireUser('records', `/${name}/${encodeURIComponent(id)}`)
  const { sellerId, timeZone } = user
  const json = OBJECT_ID.test(id) ? await findRecord(resources[name], sellerId, id) : undefined
  if (json === undefined) notFound()
  const record = JSON.parse(json) as JsonRecord
  const [pages, tickets, customerHref] = await Promise.all([
    listCheckoutPages(sellerId),
    name === 'bookings' ? loadTickets(sellerId, record) : undefined,
    findCustomerHref(sellerId, record),
  ])
  const currency = getString(record, 'currency')
  const context = { timeZone, currency, pageNames: new Map(pages.map((page) => [page.id, page.name])) }
  const { title, status, test, events, customer, lines, charges, groups } = makeView(name, record, context)

  return (
    <main className="mx-auto max-w-5xl px-4 py-5 sm:px-6">
      <Link href={`/${name}`} className="text-quiet text-sm underline-offset-4 hover:underline">
        {recordCopy.back(resources[name].label.many)}
      </Link>
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 dir="auto" className="font-semibold text-xl tracking-tight [overflow-wrap:anywhere]">
          {title}
        </h1>
        {status ? <StatusMark tone={statusTone(status)}>{statusLabel(status)}</StatusMark> : null}
        {test ? <span className="rounded border border-line px-1 text-quiet text-xs">{listCopy.test}</span> : null}
        {name === 'coupons' ? (
          <div className="ml-auto">
            <EditCoupon coupon={toEdited(record, timeZone)} pages={pages} timeZone={timeZone} />
          </div>
        ) : null}
        {typeof record.amount === 'number' ? (
          <span className="ml-auto text-xl tabular-nums">{formatMoney(record.amount, currency)}</span>
        ) : null}
      </div>

      {name === 'customers' ? (
        <CustomerDialogs customer={record as EditedCustomer} title={title} mayErase={mayUse(user.role, 'settings')} />
      ) : null}
      {name === 'customers' ? (
        <CustomerOrders sellerId={sellerId} customer={{ id: String(record.id), email: String(record.email) }} timeZone={timeZone} />
      ) : null}

      <div className="mt-6">
        {tickets ? (
          <Card id="tickets" title={recordCopy.tickets.title}>
            <Tickets tickets={tickets} typeNames={getTypeNames(record)} timeZone={timeZone} />
          </Card>
        ) : null}
      </div>
      <div className="gap-4 sm:columns-2">
        <Card id="history" title={recordCopy.history}>
          <History events={events} timeZone={timeZone} now={Date.now()} />
        </Card>
        {customer.length > 0 ? (
          <Card id="customer" title={recordCopy.customer}>
            <Entries entries={customer} />
            {customerHref ? (
              <Link href={customerHref} className="mt-2 inline-block text-accent text-sm underline-offset-4 hover:underline">
                {recordCopy.viewCustomer}
              </Link>
            ) : null}
          </Card>
        ) : null}
        {lines.length > 0 ? (
          <Card id="lines" title={recordCopy.lines}>
            <Lines lines={lines} />
          </Card>
        ) : null}
        {charges.length > 0 ? (
          <Card id="breakdown" title={recordCopy.breakdown}>
            <Charges charges={charges} />
          </Card>
        ) : null}
        {groups.map((group) => (
          <Card key={group.name} id={group.name} title={group.title}>
            <Entries entries={group.entries} />
          </Card>
        ))}
      </div>

      <details className="mt-4 rounded-lg border border-line bg-card p-4">
        <summary className="cursor-pointer font-medium">{recordCopy.json}</summary>
        <pre className="mt-3 whitespace-pre-wrap font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
          {JSON.stringify(record, null, 2)}
        </pre>
      </details>
    </main>
  )
}
