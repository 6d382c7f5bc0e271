/** A ticket's page: whether its guest can get in, and why not; its QR code on demand, history, notes and booking. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Link } from '@/app/_components/link'
import { recordCopy } from '@/app/copy/record'
import { shopCopy } from '@/app/copy/shop'
import { type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { mayUse } from '@/lib/accounts/roles'
import { findBookedTicket } from '@/lib/admission/booking-tickets'
import { resources } from '@/lib/catalog'
import { type Ticket, tickets } from '@/lib/catalog/ticket'
import { ticketTableParams } from '@/lib/catalog/ticket-table'
import { OBJECT_ID } from '@/lib/core/object-id'
import { etagOf } from '@/lib/http/etag'
import { findRecord } from '@/lib/listing/find-record'
import { ticketList } from '@/lib/listing/list-tickets'
import { findPlain } from '@/lib/listing/plain-list'
import { findTicketNeighbors, toTicketQuery } from '@/lib/listing/ticket-table'
import { readActivity } from '@/lib/reports/activity'
import { apiRequest } from '../../[resource]/[id]/api-request'
import { BannerCard } from '../../[resource]/[id]/banner-card'
import { CopyRequest } from '../../[resource]/[id]/copy-request'
import { RecordHeader } from '../../[resource]/[id]/header'
import { listSuffix, readList } from '../../[resource]/[id]/list-query'
import { Card, Technical } from '../../[resource]/[id]/sections'
import { Tickets } from '../../[resource]/[id]/tickets'
import { mergeTimeline } from '../../[resource]/[id]/timeline'
import { TimelineCard } from '../../[resource]/[id]/timeline-card'
import { EditTicket } from './edit-ticket'
import { ticketBanner } from './ticket-banner'

export const metadata: Metadata = { title: `${tickets.label.one} · ${shopCopy.name}` }

type Props = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> }
type TicketLine = { ticketTypeId?: string; name?: string }

/** Returns the ticket's own times, for its timeline. */
const timesOf = ({ orderedAt, createdAt, canceledAt }: Ticket) =>
  Object.entries({ orderedAt, createdAt, canceledAt }).flatMap(([name, at]) =>
    at === undefined ? [] : [{ name, label: recordCopy.events[name as 'createdAt'], at, details: [] }],
  )

export default async function TicketPage({ params, searchParams }: Props) {
  const { id: given } = await params
  const suffix = listSuffix(toQuery(await searchParams))
  const user = await requireUser('records', `/tickets/${encodeURIComponent(given)}${suffix}`)
  const { sellerId, timeZone } = user
  const id = given.toLowerCase()
  const found = OBJECT_ID.test(id) ? await findPlain(ticketList(sellerId, {}, false), sellerId, id) : undefined
  if (!found) notFound()
  const json = Buffer.concat(found).toString()
  const record = JSON.parse(json) as Ticket
  const name = record.ticketShortId ?? id
  const chargeId = OBJECT_ID.test(record.chargeId ?? '') ? String(record.chargeId).toLowerCase() : undefined
  const table = readList(suffix, ticketTableParams, (parsed) => toTicketQuery(sellerId, parsed, timeZone))
  const [booked, booking, pages, activity, neighbors, origin] = await Promise.all([
    findBookedTicket(sellerId, id),
    chargeId === undefined ? undefined : findRecord(resources.bookings, sellerId, chargeId),
    listCheckoutPages(sellerId),
    readActivity(sellerId, {
      resource: 'tickets',
      id,
      audited: { prefix: 'ticket.', subject: name },
    }),
    table && findTicketNeighbors(table, id),
    getPublicBaseUrl(),
  ])
  if (!booked) notFound()
  const page = pages.find((one) => one.id === record.pageId)
  const lines = booking === undefined ? [] : (JSON.parse(booking) as { tickets: TicketLine[] }).tickets
  const typeNames = new Map(lines.flatMap(({ ticketTypeId, name: type }) => (ticketTypeId && type ? [[ticketTypeId, type] as const] : [])))
  const mayDeleteAll = mayUse(user.role, 'settings')
  const timeline = mergeTimeline(timesOf(record), activity, ({ userId }) => mayDeleteAll || userId === user.userId)
  const banner = ticketBanner(record, booked, page?.entryPolicy ?? 'single', timeZone)
  const hrefOf = (neighbor: string | undefined) => neighbor && `/tickets/${neighbor}${suffix}`
  const { customerName, customerEmail, status } = record
  const notes = record.metadata.map(({ key, value }) => ({ key, value }))
  const edited = { id, etag: etagOf(json), customerName, customerEmail, metadata: notes, isCanceled: status === 'CANCELED' }
  return (
    <main className="mx-auto max-w-[75rem] px-4 pb-5 sm:px-6">
      <RecordHeader
        list={{ href: `/tickets${suffix}`, label: tickets.label.many }}
        newer={hrefOf(neighbors?.newer)}
        older={hrefOf(neighbors?.older)}
        isByDate={table?.sort === 'createdAt' && !table.isAscending}
        title={name}
        titleName={recordCopy.titleNames.tickets}
        statuses={[record.status, record.checkInStatus]}
        isTest={record.livemode === false}
        person={record.customerName ?? record.customerEmail}
        createdAt={record.createdAt}
        timeZone={timeZone}
      >
        <EditTicket ticket={edited} origin={origin} />
        {booking === undefined ? null : (
          <Link href={`/bookings/${chargeId}`} className="button">
            {recordCopy.viewBooking}
          </Link>
        )}
        <CopyRequest command={apiRequest(origin, 'GET', `/tickets/${id}`)} />
      </RecordHeader>
      {banner ? <BannerCard banner={banner} /> : null}
      <div className="flex flex-col gap-4">
        <Card id="ticket" title={page?.name ?? tickets.label.one}>
          <Tickets tickets={[booked]} typeNames={typeNames} timeZone={timeZone} isLinked={false} />
        </Card>
        <TimelineCard entries={timeline} resource="tickets" id={id} timeZone={timeZone} now={Date.now()} />
        <Technical groups={[]} json={record} />
      </div>
    </main>
  )
}
