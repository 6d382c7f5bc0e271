/** Settings page: scans that were refused at check-in. For owners and staff. */
import { ArrowLeft, ArrowRight } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Notice } from '@/app/_components/notice'
import { listCopy } from '@/app/copy/list'
import { refusalCopy as copy } from '@/app/copy/refusals'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { listRefusals, type Refusal, type RefusalCursor } from '@/lib/listing/list-refusals'
import { Cell, Row, SettingsSection, Table, Timestamp } from '../../_parts/settings-section'

export const metadata: Metadata = { title: `${copy.title} · ${shopCopy.name}` }

const PATH = '/settings/devices/refusals'

type Query = Record<string, string | string[] | undefined>

/** Parses the cursor from the URL: undefined if it is malformed. */
function parseCursor({ starting_after, ending_before }: Query): RefusalCursor | undefined {
  const [startingAfter, endingBefore] = [starting_after, ending_before].map((value) =>
    value === undefined || value === '' ? undefined : typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN,
  )
  const isValid = !Number.isNaN(startingAfter) && !Number.isNaN(endingBefore) && (startingAfter === undefined || endingBefore === undefined)
  return isValid ? { startingAfter, endingBefore } : undefined
}

function Newest({ title, hint }: { title: string; hint: string }) {
  return (
    <Notice title={title} hint={hint}>
      <Link className="button" href={PATH}>
        {copy.newest}
      </Link>
    </Notice>
  )
}

function Step({ href, title, children }: { href: string | false; title: string; children: ReactNode }) {
  if (!href) return <span className="button border-transparent bg-transparent text-quiet">{children}</span>
  return (
    <Link className="button" href={href} title={title}>
      {children}
    </Link>
  )
}

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

export default async function RefusalsPage({ searchParams }: { searchParams: Promise<Query> }) {
  const { sellerId, timeZone } = await requireUser('records', PATH)
  const cursor = parseCursor(await searchParams)
  if (!cursor) return <Newest title={listCopy.badLink} hint={copy.hint} />
  const { refusals, hasNewer, hasOlder } = await listRefusals(sellerId, cursor)
  const [first, last] = [refusals[0], refusals.at(-1)]
  if (!first || !last) return <Newest title={copy.none} hint={copy.noneHint} />
  const { columns } = copy
  return (
    <SettingsSection
      title={copy.title}
      hint={copy.hint}
      action={
        <Link href="/settings/devices" className="button">
          {copy.back}
        </Link>
      }
    >
      <Table caption={copy.title} headers={Object.values(columns)}>
        {refusals.map((refusal) => (
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
      <nav aria-label={copy.pages} className="mt-3 flex justify-end gap-2 text-sm">
        <Step href={hasNewer && `${PATH}?ending_before=${first.id}`} title={listCopy.newer(copy.what)}>
          <ArrowLeft aria-hidden size={16} />
          {listCopy.previous}
        </Step>
        <Step href={hasOlder && `${PATH}?starting_after=${last.id}`} title={listCopy.older(copy.what)}>
          {listCopy.next}
          <ArrowRight aria-hidden size={16} />
        </Step>
      </nav>
    </SettingsSection>
  )
}
