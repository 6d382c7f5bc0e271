/** Settings page: scans that were refused at check-in. For owners and staff. */
import type { Metadata } from 'next'
import { Link } from '@/app/_components/link'
import { refusalCopy as copy } from '@/app/copy/refusals'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { listRefusals, type Refusal } from '@/lib/listing/list-refusals'
import { LogPages, type LogQuery, NoEntries, parseLogCursor } from '../../_parts/log-pages'
import { Cell, Row, SettingsSection, Table, Timestamp } from '../../_parts/settings-section'

export const metadata: Metadata = { title: `${copy.title} · ${shopCopy.name}` }

const PATH = '/settings/devices/refusals'

type Props = { refusal: Refusal }

function Ticket({ refusal: { ticketId, guest, shortId, order, bookingId } }: Props) {
  if (ticketId === null) return copy.unknownTicket
  return (
    <>
      <Link href={`/tickets/${ticketId}`} className="font-medium underline-offset-4 hover:underline">
        {guest ?? copy.noName}
      </Link>
      <span className="block text-quiet">
        {shortId}
        {shortId && order ? ' · ' : null}
        {order && bookingId ? (
          <Link href={`/bookings/${bookingId}`} className="underline-offset-4 hover:underline">
            {order}
          </Link>
        ) : (
          order
        )}
      </span>
    </>
  )
}

function Reason({ refusal, timeZone }: Props & { timeZone: string }) {
  const { reason, checkedInAt, checkedInBy, canceledAt, ticketEvent } = refusal
  const at = checkedInAt ?? canceledAt
  return (
    <>
      <span className="font-medium">{copy.reasons[reason]}</span>
      {at === null ? null : (
        <span className="block text-quiet">
          {checkedInAt === null ? copy.canceled : copy.checkedIn(checkedInBy)} <Timestamp at={at} timeZone={timeZone} hasSeconds />
        </span>
      )}
      {ticketEvent === null ? null : <span className="block text-quiet">{copy.ticketFor(ticketEvent)}</span>}
    </>
  )
}

export default async function RefusalsPage({ searchParams }: { searchParams: Promise<LogQuery> }) {
  const { sellerId, timeZone } = await requireUser('records', PATH)
  const cursor = parseLogCursor(await searchParams)
  const page = cursor && (await listRefusals(sellerId, cursor))
  const [first, last] = [page?.refusals[0], page?.refusals.at(-1)]
  const back = (
    <Link href="/settings/devices" className="button">
      {copy.back}
    </Link>
  )
  if (!page || !first || !last) return <NoEntries title={copy.title} copy={copy} path={PATH} cursor={cursor} action={back} />
  const { columns } = copy
  return (
    <SettingsSection title={copy.title} hint={copy.hint} action={back}>
      <Table caption={copy.title} headers={Object.values(columns)}>
        {page.refusals.map((refusal) => (
          <Row key={refusal.id}>
            <Cell label={columns.at}>
              <Timestamp at={refusal.at} timeZone={timeZone} hasSeconds />
            </Cell>
            <Cell label={columns.reason}>
              <Reason refusal={refusal} timeZone={timeZone} />
            </Cell>
            <Cell label={columns.ticket}>
              <Ticket refusal={refusal} />
            </Cell>
            <Cell label={columns.event}>{refusal.event}</Cell>
            <Cell label={columns.door}>
              {[...new Set([refusal.device, refusal.who])].filter(Boolean).join(' · ')}
              {refusal.isLate ? <span className="block text-quiet">{copy.late}</span> : null}
            </Cell>
          </Row>
        ))}
      </Table>
      <LogPages
        path={PATH}
        label={copy.pages}
        what={copy.what}
        newer={page.hasNewer ? first.id : undefined}
        older={page.hasOlder ? last.id : undefined}
      />
    </SettingsSection>
  )
}
