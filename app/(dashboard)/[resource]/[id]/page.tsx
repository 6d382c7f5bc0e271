/** Record page: what went wrong, items, payment breakdown, customer, timeline and notes. Shows every member of the record. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { recordCopy } from '@/app/copy/record'
import { shopCopy } from '@/app/copy/shop'
import { type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { mayUse } from '@/lib/accounts/roles'
import { ticketsOfBooking } from '@/lib/admission/booking-tickets'
import { isResourceName, type ResourceName, resources } from '@/lib/catalog'
import { coupons } from '@/lib/catalog/coupons'
import { MAX_SEARCH } from '@/lib/catalog/list-params'
import type { Resource } from '@/lib/catalog/resource'
import { tableParams } from '@/lib/catalog/table-params'
import { formatMoney } from '@/lib/core/money'
import { OBJECT_ID } from '@/lib/core/object-id'
import { localIn } from '@/lib/core/time'
import { findRecord } from '@/lib/listing/find-record'
import { findNeighbors } from '@/lib/listing/neighbors'
import { findProductNames } from '@/lib/listing/product-names'
import { toTableQuery } from '@/lib/listing/table-query'
import { readActivity } from '@/lib/reports/activity'
import { hasAccount } from '@/lib/sync/stripe/account'
import { EditCoupon } from '../_coupons/coupon-dialogs'
import type { EditedCoupon } from '../_coupons/coupon-forms'
import { apiRequest } from './api-request'
import { BannerCard } from './banner-card'
import { CopyRequest } from './copy-request'
import { CouponCard } from './coupon-card'
import { CustomerCard } from './customer-card'
import { CustomerDialogs } from './customer-dialogs'
import type { EditedCustomer } from './customer-form'
import { CustomerOrders } from './customer-orders'
import { RecordHeader } from './header'
import { listSuffix, readList } from './list-query'
import { Card, Charges, Entries, Lines, Technical } from './sections'
import { stripeLink } from './stripe-link'
import { Tickets } from './tickets'
import { mergeTimeline } from './timeline'
import { TimelineCard } from './timeline-card'
import { makeView } from './view'

type Props = { params: Promise<{ resource: string; id: string }>; searchParams: Promise<SearchParams> }
type JsonRecord = Record<string, unknown>

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { resource } = await params
  return { title: isResourceName(resource) ? `${resources[resource].label.one} · ${shopCopy.name}` : shopCopy.name }
}

const getString = (record: JsonRecord, name: string) => (typeof record[name] === 'string' && record[name] !== '' ? record[name] : undefined)

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

/** Returns the URL of the customer's page, or of a search for their email address. */
async function findCustomerHref(sellerId: string, record: JsonRecord): Promise<string | undefined> {
  const [id = '', email = ''] = ['customerId', 'customerEmail'].map((name) => getString(record, name))
  if (OBJECT_ID.test(id) && (await findRecord(resources.customers, sellerId, id)) !== undefined) return `/customers/${id.toLowerCase()}`
  return email && [...email].length <= MAX_SEARCH ? `/customers?search=${encodeURIComponent(email)}` : undefined
}

const GATEWAY_IDS = ['gatewayPaymentIntentId', 'gatewayChargeId', 'gatewaySubscriptionId', 'gatewayCouponId', 'invoiceId']

function loadActivity(sellerId: string, resource: ResourceName, record: JsonRecord) {
  const id = String(record.id)
  const gateway = resource === 'customers' ? ['gatewayCustomerId'] : GATEWAY_IDS
  const audited = { coupons: { prefix: 'coupon.', subject: String(record.code) }, customers: { prefix: 'customer.', subject: id } }
  return readActivity(sellerId, {
    resource,
    id,
    orderId: getString(record, 'orderId'),
    gatewayIds: gateway.flatMap((name) => getString(record, name) ?? []),
    ...(resource === 'coupons' || resource === 'customers' ? { audited: audited[resource] } : {}),
  })
}

function toEdited(record: JsonRecord, timeZone: string): EditedCoupon {
  const { id, code, label, maxRedemptions, redeemBy, pageIds = [], deleted } = coupons.record.parse(record)
  return { id, code, label, maxRedemptions, redeemBy: localIn(timeZone, redeemBy), pageIds, deleted }
}

/** Returns the text in large type: the amount of an order, or the discount of a coupon. */
function amountOf({ amount, amountOff, percentOff }: JsonRecord, currency: string | undefined): string | undefined {
  if (typeof amount === 'number') return formatMoney(amount, currency)
  if (typeof percentOff === 'number') return recordCopy.off(`${percentOff}%`)
  return typeof amountOff === 'number' ? recordCopy.off(formatMoney(amountOff, currency)) : undefined
}

function personOf({ billing, customerEmail }: JsonRecord): string | undefined {
  const name = (billing as JsonRecord | undefined)?.name ?? customerEmail
  return typeof name === 'string' && name !== '' ? name : undefined
}

export default async function RecordPage({ params, searchParams }: Props) {
  const { resource: name, id } = await params
  if (!isResourceName(name)) notFound()
  const suffix = listSuffix(toQuery(await searchParams))
  const user = await requireUser('records', `/${name}/${encodeURIComponent(id)}${suffix}`)
  const { sellerId, timeZone } = user
  const resource: Resource = resources[name]
  const json = OBJECT_ID.test(id) ? await findRecord(resource, sellerId, id) : undefined
  if (json === undefined) notFound()
  const record = JSON.parse(json) as JsonRecord
  const list = readList(suffix, tableParams(resource), (filters) => toTableQuery(resource, sellerId, filters, timeZone))
  const [pages, tickets, customerHref, productNames, activity, neighbors, isConnected, origin] = await Promise.all([
    listCheckoutPages(sellerId),
    name === 'bookings' ? ticketsOfBooking(sellerId, { id: String(record.id), orderId: getString(record, 'orderId') }) : undefined,
    findCustomerHref(sellerId, record),
    findProductNames(sellerId, [getString(record, 'productId')]),
    loadActivity(sellerId, name, record),
    list && findNeighbors(list, String(record.id)),
    hasAccount(sellerId),
    getPublicBaseUrl(),
  ])
  const currency = getString(record, 'currency')
  const context = { timeZone, currency, pageNames: new Map(pages.map((page) => [page.id, page.name])), productNames }
  const { title, status, isTest, banner, events, customer, lines, charges, payment, groups, technical } = makeView(name, record, context)
  const mayDeleteAll = mayUse(user.role, 'settings')
  const timeline = mergeTimeline(events, activity, ({ userId }) => mayDeleteAll || userId === user.userId)
  const hrefOf = (neighbor: string | undefined) => neighbor && `/${name}/${neighbor}${suffix}`
  const stripeHref = isConnected ? stripeLink(name, record) : undefined
  const path = `/${name}/${record.id}`

  return (
    <main className="mx-auto max-w-[75rem] px-4 pb-5 sm:px-6">
      <RecordHeader
        list={{ href: `/${name}${suffix}`, label: resource.label.many }}
        newer={hrefOf(neighbors?.newer)}
        older={hrefOf(neighbors?.older)}
        isByDate={list?.sort === 'createdAt' && !list.isAscending}
        title={title}
        titleName={recordCopy.titleNames[name]}
        amount={amountOf(record, currency)}
        statuses={status ? [status] : []}
        isTest={isTest}
        person={personOf(record)}
        createdAt={String(record.createdAt)}
        timeZone={timeZone}
      >
        {name === 'coupons' ? <EditCoupon coupon={toEdited(record, timeZone)} pages={pages} timeZone={timeZone} origin={origin} /> : null}
        {name === 'customers' ? (
          <CustomerDialogs customer={record as EditedCustomer} title={title} mayErase={mayDeleteAll} origin={origin} />
        ) : null}
        {stripeHref ? (
          <a href={stripeHref} target="_blank" rel="noreferrer" className="button">
            {recordCopy.viewInStripe} ↗
          </a>
        ) : null}
        <CopyRequest command={apiRequest(origin, 'GET', path)} />
      </RecordHeader>
      {banner ? <BannerCard banner={banner} /> : null}

      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
        <div className="flex min-w-0 flex-col gap-4">
          {name === 'customers' ? (
            <CustomerOrders sellerId={sellerId} customer={{ id: String(record.id), email: String(record.email) }} timeZone={timeZone} />
          ) : null}
          {name === 'coupons' ? <CouponCard sellerId={sellerId} coupon={coupons.record.parse(record)} timeZone={timeZone} /> : null}
          {tickets ? (
            <Card id="tickets" title={recordCopy.tickets.title}>
              <Tickets tickets={tickets} typeNames={getTypeNames(record)} timeZone={timeZone} />
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
        </div>
        <div className="flex min-w-0 flex-col gap-4 lg:row-span-2">
          {customer.length > 0 && name !== 'customers' ? (
            <CustomerCard
              entries={customer}
              href={customerHref}
              sellerId={sellerId}
              customer={{ id: (getString(record, 'customerId') ?? '').toLowerCase(), email: getString(record, 'customerEmail') ?? '' }}
              orderId={String(record.id)}
              timeZone={timeZone}
            />
          ) : null}
          {customer.length > 0 && name === 'customers' ? (
            <Card id="customer" title={recordCopy.customer}>
              <Entries entries={customer} />
            </Card>
          ) : null}
          {payment.length > 0 ? (
            <Card id="payment-method" title={recordCopy.paymentMethod}>
              <Entries entries={payment} />
            </Card>
          ) : null}
          {groups.map((group) => (
            <Card key={group.name} id={group.name} title={group.title}>
              <Entries entries={group.entries} />
            </Card>
          ))}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <TimelineCard entries={timeline} resource={name} id={String(record.id)} timeZone={timeZone} now={Date.now()} />
          <Technical groups={technical} json={record} />
        </div>
      </div>
    </main>
  )
}
