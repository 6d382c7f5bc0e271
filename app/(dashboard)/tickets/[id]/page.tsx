/** A ticket's page: guest, QR code on demand, check-in history, its booking and every member. */
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { statusLabel, statusTone } from '@/app/_components/cells'
import { StatusMark } from '@/app/_components/status-mark'
import { recordCopy } from '@/app/copy/record'
import { shopCopy } from '@/app/copy/shop'
import { History } from '@/app/door/history'
import { requireUser } from '@/app/session'
import { findBookedTicket } from '@/lib/admission/booking-tickets'
import { openTicket } from '@/lib/admission/open-ticket'
import { resources } from '@/lib/catalog'
import { type Ticket, tickets } from '@/lib/catalog/ticket'
import { OBJECT_ID } from '@/lib/core/object-id'
import { findRecord } from '@/lib/listing/find-record'
import { ticketList } from '@/lib/listing/list-tickets'
import { findPlain } from '@/lib/listing/plain-list'
import { Card } from '../../[resource]/[id]/sections'
import { Tickets } from '../../[resource]/[id]/tickets'

export const metadata: Metadata = { title: `${tickets.label.one} · ${shopCopy.name}` }

export default async function TicketPage({ params }: { params: Promise<{ id: string }> }) {
  const { id: given } = await params
  const { sellerId, timeZone } = await requireUser('records', `/tickets/${encodeURIComponent(given)}`)
  const id = given.toLowerCase()
  const found = OBJECT_ID.test(id) ? await findPlain(ticketList(sellerId, {}, false), sellerId, id) : undefined
  if (!found) notFound()
  const record = JSON.parse(Buffer.concat(found).toString()) as Ticket
  const chargeId = OBJECT_ID.test(record.chargeId ?? '') ? String(record.chargeId) : undefined
  const [booked, { guest, history }, booking] = await Promise.all([
    findBookedTicket(sellerId, id),
    openTicket(sellerId, id, undefined),
    chargeId === undefined ? undefined : findRecord(resources.bookings, sellerId, chargeId),
  ])
  if (!booked) notFound()
  const typeNames = new Map(guest.typeId && guest.type ? [[guest.typeId, guest.type]] : [])
  return (
    <main className="mx-auto max-w-5xl px-4 py-5 sm:px-6">
      <Link href="/tickets" className="text-quiet text-sm underline-offset-4 hover:underline">
        {recordCopy.back(tickets.label.many)}
      </Link>
      <div className="mt-2 mb-6 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 dir="auto" className="font-semibold text-xl tracking-tight [overflow-wrap:anywhere]">
          {record.ticketShortId ?? id}
        </h1>
        <StatusMark tone={statusTone(record.status)}>{statusLabel(record.status)}</StatusMark>
        <StatusMark tone={statusTone(record.checkInStatus)}>{statusLabel(record.checkInStatus)}</StatusMark>
        {booking === undefined ? null : (
          <Link href={`/bookings/${chargeId?.toLowerCase()}`} className="ml-auto text-accent text-sm underline-offset-4 hover:underline">
            {recordCopy.viewBooking}
          </Link>
        )}
      </div>
      <Card id="ticket" title={guest.event ?? tickets.label.one}>
        <Tickets tickets={[booked]} typeNames={typeNames} timeZone={timeZone} />
      </Card>
      <div className="mb-4 rounded-lg border border-line bg-card p-4">
        <History entries={history} />
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
