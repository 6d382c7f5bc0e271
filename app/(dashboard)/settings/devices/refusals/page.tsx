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

function Ticket({ refusal: { ticketId, guest, shortId } }: { refusal: Refusal }) {
  if (ticketId === null) return copy.unknownTicket
  return (
    <>
      <Link href={`/tickets/${ticketId}`} className="font-medium underline-offset-4 hover:underline">
        {guest ?? copy.noName}
      </Link>
      <span className="block text-quiet">{shortId}</span>
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
              <Timestamp at={refusal.at} timeZone={timeZone} />
            </Cell>
            <Cell label={columns.reason}>
              <span className="font-medium">{copy.reasons[refusal.reason]}</span>
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
