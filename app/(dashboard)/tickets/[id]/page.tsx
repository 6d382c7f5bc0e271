/** The ticket page: a banner if a scan would be refused, the QR code on demand, the timeline, and the notes. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { apiRequest } from '@/app/_components/api-request'
import { Link } from '@/app/_components/link'
import { recordCopy } from '@/app/copy/record'
import { type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { tickets } from '@/lib/catalog/ticket'
import { ticketTableParams } from '@/lib/catalog/ticket-table'
import { findTicketNeighbors, toTicketQuery } from '@/lib/listing/ticket-table'
import { BannerCard } from '../../[resource]/[id]/banner-card'
import { buildListQueryString, parseListQuery } from '../../[resource]/[id]/list-query'
import { RecordHeader } from '../../[resource]/[id]/record-header'
import { RecordMenu } from '../../[resource]/[id]/record-menu'
import { Card, TechnicalDetails } from '../../[resource]/[id]/sections'
import { Tickets } from '../../[resource]/[id]/tickets'
import { TimelineCard } from '../../[resource]/[id]/timeline-card'
import { EditTicket } from './edit-ticket'
import { loadTicket, toEditableTicket } from './load-ticket'

export const metadata: Metadata = { title: tickets.label.one }

type Props = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> }

export default async function TicketPage({ params, searchParams }: Props) {
  const { id: rawId } = await params
  const query = toQuery(await searchParams)
  const suffix = buildListQueryString(query)
  const user = await requireUser('records', `/tickets/${encodeURIComponent(rawId)}${suffix}`)
  const { sellerId, timeZone } = user
  const table = parseListQuery(query, ticketTableParams, (parsed) => toTicketQuery(sellerId, parsed, timeZone))
  const loaded = await loadTicket(user, rawId, (found) => Promise.all([table && findTicketNeighbors(table, found), getPublicBaseUrl()]))
  if (!loaded) notFound()
  const { id, json, record, name, bookingTicket, page, typeNames, bookingHref, customerHref, banner, timeline } = loaded
  const [neighbors, origin] = loaded.more
  const toHref = (neighbor: string | undefined) => neighbor && `/tickets/${neighbor}${suffix}`
  return (
    <main className="mx-auto max-w-[75rem] px-4 pb-5 sm:px-6">
      <RecordHeader
        list={{ href: `/tickets${suffix}`, label: tickets.label.many }}
        noun={tickets.label.one}
        previous={toHref(neighbors?.previous)}
        next={toHref(neighbors?.next)}
        isNewestFirst={table?.sort === 'createdAt' && !table.isAscending}
        title={name}
        titleKind={recordCopy.titleNames.tickets}
        statuses={[record.status, record.checkInStatus]}
        isTest={record.livemode === false}
        person={record.customerName || record.customerEmail}
        createdAt={record.createdAt}
        timeZone={timeZone}
      >
        <EditTicket ticket={toEditableTicket(json)} origin={origin} />
        {bookingHref === undefined ? null : (
          <Link href={bookingHref} className="button">
            {recordCopy.viewBooking}
          </Link>
        )}
        {customerHref === undefined ? null : (
          <Link href={customerHref} className="button">
            {recordCopy.viewCustomer}
          </Link>
        )}
        <RecordMenu command={apiRequest(origin, 'GET', `/tickets/${id}`)} />
      </RecordHeader>
      {banner ? <BannerCard banner={banner} /> : null}
      <div className="flex flex-col gap-4">
        <Card id="ticket" title={page?.name ?? tickets.label.one}>
          <Tickets tickets={[bookingTicket]} typeNames={typeNames} timeZone={timeZone} isLinked={false} />
        </Card>
        <TimelineCard entries={timeline} resource="tickets" id={id} timeZone={timeZone} />
        <TechnicalDetails groups={[]} json={record} />
      </div>
    </main>
  )
}
