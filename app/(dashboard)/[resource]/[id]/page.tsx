/** The page of a record: banner, items, payment breakdown, customer, timeline and notes. Shows every member of the record. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { apiRequest } from '@/app/_components/api-request'
import { Link } from '@/app/_components/link'
import { recordCopy } from '@/app/copy/record'
import { type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { mayUse } from '@/lib/accounts/roles'
import { MAX_BOOKING_TICKETS, readBookingTickets } from '@/lib/admission/booking-tickets'
import { isResourceName, resources } from '@/lib/catalog'
import { coupons } from '@/lib/catalog/coupons'
import type { Resource } from '@/lib/catalog/resource'
import { tableParams } from '@/lib/catalog/table-params'
import { localIn } from '@/lib/core/time'
import { computeEtag } from '@/lib/http/etag'
import { findNeighbors } from '@/lib/listing/neighbors'
import { toTableQuery } from '@/lib/listing/table-query'
import { hasAccount } from '@/lib/sync/stripe/account'
import type { EditableCoupon } from '../_coupons/coupon-forms'
import { EditCoupon } from '../_coupons/edit-coupon'
import { BannerCard } from './banner-card'
import { CouponCards } from './coupon-cards'
import type { EditableCustomer } from './customer-body'
import { CustomerCard } from './customer-card'
import { CustomerDialogs } from './customer-dialogs'
import { CustomerOrders } from './customer-orders'
import { buildListQueryString, parseListQuery } from './list-query'
import { getString, type JsonRecord, loadRecord } from './load-record'
import { RecordHeader } from './record-header'
import { RecordMenu } from './record-menu'
import { Card, Charges, Entries, Lines, TechnicalDetails } from './sections'
import { buildStripeUrl } from './stripe-link'
import { Tickets } from './tickets'
import { TimelineCard } from './timeline-card'

type Props = { params: Promise<{ resource: string; id: string }>; searchParams: Promise<SearchParams> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { resource } = await params
  return isResourceName(resource) ? { title: resources[resource].label.one } : {}
}

/** Returns the names of ticket types by ID. Tickets contain only the ID; the booking's line items also contain the name. */
function getTypeNames({ tickets }: JsonRecord): Map<string, string> {
  const lines = Array.isArray(tickets) ? (tickets as JsonRecord[]) : []
  return new Map(
    lines.flatMap((line) => {
      const [id, name] = [getString(line, 'ticketTypeId'), getString(line, 'name')]
      return id && name ? [[id, name]] : []
    }),
  )
}

function toEditableCoupon(record: JsonRecord, timeZone: string): EditableCoupon {
  const { id, code, label, maxRedemptions, redeemBy, pageIds = [], deleted } = coupons.record.parse(record)
  return { id, code, label, maxRedemptions, redeemBy: localIn(timeZone, redeemBy), pageIds, deleted }
}

export default async function RecordPage({ params, searchParams }: Props) {
  const { resource: name, id } = await params
  if (!isResourceName(name)) notFound()
  const query = toQuery(await searchParams)
  const suffix = buildListQueryString(query)
  const user = await requireUser('records', `/${name}/${encodeURIComponent(id)}${suffix}`)
  const { sellerId, timeZone } = user
  const resource: Resource = resources[name]
  const list = parseListQuery(query, tableParams(resource), (filters) => toTableQuery(resource, sellerId, filters, timeZone))
  const loaded = await loadRecord(user, name, id, (found) =>
    Promise.all([
      name === 'bookings' ? readBookingTickets(sellerId, { id: String(found.id), orderId: getString(found, 'orderId') }) : undefined,
      list && findNeighbors(list, String(found.id)),
      hasAccount(sellerId),
      getPublicBaseUrl(),
    ]),
  )
  if (!loaded) notFound()
  const { json, record, view, timeline, amount, person, customerHref, pages } = loaded
  const [tickets, neighbors, isConnected, origin] = loaded.more
  const { title, status, isTest, banner, customer, lines, charges, payment, groups, technical } = view
  const isOwner = mayUse(user.role, 'settings')
  const toHref = (neighbor: string | undefined) => neighbor && `/${name}/${neighbor}${suffix}`
  const stripeHref = isConnected ? buildStripeUrl(name, record) : undefined
  const path = `/${name}/${record.id}`
  const orderId = getString(record, 'orderId')

  return (
    <main className="mx-auto max-w-[75rem] px-4 pb-5 sm:px-6">
      <RecordHeader
        list={{ href: `/${name}${suffix}`, label: resource.label.many }}
        noun={resource.label.one}
        previous={toHref(neighbors?.previous)}
        next={toHref(neighbors?.next)}
        isNewestFirst={list?.sort === 'createdAt' && !list.isAscending}
        title={title}
        titleKind={recordCopy.titleNames[name]}
        amount={amount}
        statuses={status ? [status] : []}
        isTest={isTest}
        person={person}
        createdAt={String(record.createdAt)}
        timeZone={timeZone}
      >
        {name === 'coupons' ? (
          <EditCoupon coupon={toEditableCoupon(record, timeZone)} pages={pages} timeZone={timeZone} origin={origin} />
        ) : null}
        {name === 'customers' ? (
          <CustomerDialogs
            customer={{ ...(record as EditableCustomer), etag: computeEtag(json) }}
            title={title}
            canErase={isOwner}
            origin={origin}
          />
        ) : null}
        {stripeHref ? (
          <a href={stripeHref} target="_blank" rel="noreferrer" className="button">
            {recordCopy.viewInStripe} ↗
          </a>
        ) : null}
        <RecordMenu command={apiRequest(origin, 'GET', path)} />
      </RecordHeader>
      {banner ? <BannerCard banner={banner} /> : null}

      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
        <div className="flex min-w-0 flex-col gap-4">
          {name === 'customers' ? (
            <CustomerOrders sellerId={sellerId} customer={{ id: String(record.id), email: String(record.email) }} timeZone={timeZone} />
          ) : null}
          {name === 'coupons' ? <CouponCards sellerId={sellerId} coupon={coupons.record.parse(record)} timeZone={timeZone} /> : null}
          {tickets ? (
            <Card id="tickets" title={recordCopy.tickets.title}>
              <Tickets tickets={tickets.slice(0, MAX_BOOKING_TICKETS)} typeNames={getTypeNames(record)} timeZone={timeZone} />
              {tickets.length > MAX_BOOKING_TICKETS ? (
                <p className="mt-2 text-quiet text-sm">
                  {recordCopy.tickets.more(MAX_BOOKING_TICKETS)}{' '}
                  {orderId ? (
                    <Link
                      href={`/tickets?search=${encodeURIComponent(orderId)}`}
                      className="text-accent underline-offset-4 hover:underline"
                    >
                      {recordCopy.tickets.all}
                    </Link>
                  ) : null}
                </p>
              ) : null}
            </Card>
          ) : null}
          <Lines lines={lines} />
          <Charges charges={charges} />
        </div>
        <div className="flex min-w-0 flex-col gap-4 lg:row-span-2">
          {(customer.length > 0 || customerHref) && name !== 'customers' ? (
            <CustomerCard
              entries={customer}
              href={customerHref}
              sellerId={sellerId}
              customer={{ id: (getString(record, 'customerId') ?? '').toLowerCase(), email: getString(record, 'customerEmail') ?? '' }}
              recordId={String(record.id)}
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
          <TimelineCard entries={timeline} resource={name} id={String(record.id)} timeZone={timeZone} />
          <TechnicalDetails groups={technical} json={record} />
        </div>
      </div>
    </main>
  )
}
