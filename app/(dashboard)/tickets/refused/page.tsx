/** Scans refused at check-in, latest first. The overview links to today's refused scans, at one event or at all events. */
import type { Metadata } from 'next'
import { FirstPageLink } from '@/app/_components/first-page-link'
import { Link } from '@/app/_components/link'
import { Pager } from '@/app/_components/pager'
import { Cell, EmptyState, InvalidLink, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { withParams } from '@/app/_components/with-params'
import { formatDay } from '@/app/copy/format'
import { listCopy } from '@/app/copy/list'
import { refusalCopy as copy } from '@/app/copy/refusals'
import { firstPageHref, loadList, type SearchParams, toQuery } from '@/app/load-list'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { tickets } from '@/lib/catalog/ticket'
import { listRefusals, NO_EVENT, type Refusal, refusalParams } from '@/lib/listing/list-refusals'
import { parseListQuery } from '../../[resource]/[id]/list-query'

export const metadata: Metadata = { title: copy.title }

const PATH = '/tickets/refused'
/** The parameters that filter the list. */
const filterParams = refusalParams.pick({ date: true, pageId: true })

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
  const { reason, checkedInAt, checkedInDay, checkedInBy, canceledAt, ticketEvent } = refusal
  const isCheckedIn = (checkedInAt ?? checkedInDay) !== null
  const at = checkedInAt ?? canceledAt
  const time = at !== null ? <Timestamp at={at} timeZone={timeZone} withSeconds /> : checkedInDay !== null ? formatDay(checkedInDay) : null
  return (
    <>
      <span className="font-medium">{copy.reasons[reason]}</span>
      {time === null ? null : (
        <span className="block text-quiet">
          {isCheckedIn ? copy.checkedIn(checkedInBy) : copy.canceled} {time}
        </span>
      )}
      {ticketEvent === null ? null : <span className="block">{copy.ticketFor(ticketEvent)}</span>}
    </>
  )
}

export default async function RefusalsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = toQuery(await searchParams)
  const { sellerId, timeZone } = await requireUser('records', withParams(PATH, query))
  const [{ page, error }, checkoutPages] = await Promise.all([
    loadList(query, refusalParams, (parsed) => listRefusals(sellerId, parsed)),
    listCheckoutPages(sellerId),
  ])
  // Parsed separately, so that a link with an invalid cursor keeps its filters.
  const { date, pageId } = parseListQuery(query, filterParams, (filters) => filters) ?? {}
  const event = pageId === NO_EVENT ? null : pageId && (checkoutPages.find(({ id }) => id === pageId)?.name ?? pageId)
  const isFiltered = date !== undefined || pageId !== undefined
  const hint = isFiltered ? copy.filtered(date && formatDay(date), event) : copy.hint
  const actions = (
    <div className="flex gap-2">
      {isFiltered ? (
        <Link href={PATH} className="button">
          {copy.all}
        </Link>
      ) : null}
      <Link href="/tickets" className="button">
        {tickets.label.many}
      </Link>
    </div>
  )
  const [first, last] = [page?.rows[0], page?.rows.at(-1)]
  const { columns } = copy
  return (
    <main className="max-w-6xl px-4 py-4 sm:px-6">
      <SettingsSection title={copy.title} hint={hint} action={actions} isWholePage>
        {page && first && last ? (
          <>
            <Table caption={copy.title} headers={Object.values(columns)}>
              {page.rows.map((refusal) => (
                <Row key={refusal.id}>
                  <Cell label={columns.at}>
                    <Timestamp at={refusal.at} timeZone={timeZone} withSeconds />
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
            <Pager
              path={PATH}
              query={query}
              titles={{ previous: listCopy.newer(copy.what), next: listCopy.older(copy.what) }}
              previous={page.hasPrevious ? String(first.id) : undefined}
              next={page.hasNext ? String(last.id) : undefined}
              position={copy.shown(page.rows.length)}
            />
          </>
        ) : page ? (
          <EmptyState
            title={isFiltered ? listCopy.nothingMatches(copy.what, undefined) : copy.none}
            hint={isFiltered ? listCopy.nothingMatchesHint(false) : copy.noneHint}
          >
            <FirstPageLink path={PATH} query={query} />
          </EmptyState>
        ) : (
          <InvalidLink hint={error} href={firstPageHref(PATH, query, error)} />
        )}
      </SettingsSection>
    </main>
  )
}
