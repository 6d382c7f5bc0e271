/** The scans that were refused at check-in, latest first. The overview links to today's refused scans, at one event or at all events. */
import type { Metadata } from 'next'
import { z } from 'zod'
import { Link } from '@/app/_components/link'
import { Cell, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { formatDay } from '@/app/copy/format'
import { listCopy } from '@/app/copy/list'
import { refusalCopy as copy } from '@/app/copy/refusals'
import { shopCopy } from '@/app/copy/shop'
import { type SearchParams, toQuery } from '@/app/load-list'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { dateParam } from '@/lib/catalog/list-params'
import { tickets } from '@/lib/catalog/ticket'
import { OBJECT_ID } from '@/lib/core/object-id'
import { listRefusals, NO_EVENT, type Refusal } from '@/lib/listing/list-refusals'
import { LogPages, NoEntries, parseLogCursor } from '../../settings/_parts/log-pages'

export const metadata: Metadata = { title: `${copy.title} · ${shopCopy.name}` }

const PATH = '/tickets/refused'

const filterParams = z.object({
  date: dateParam.optional(),
  pageId: z.string().regex(OBJECT_ID).or(z.literal(NO_EVENT)).optional(),
})

/** The classes of the `main` element. */
const MAIN = 'max-w-6xl px-4 py-4 sm:px-6'

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
  const time = at !== null ? <Timestamp at={at} timeZone={timeZone} hasSeconds /> : checkedInDay !== null ? formatDay(checkedInDay) : null
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
  const params = await searchParams
  const query = toQuery(params)
  const { sellerId, timeZone } = await requireUser('records', query.size > 0 ? `${PATH}?${query}` : PATH)
  const filters = filterParams.safeParse(Object.fromEntries(query)).data
  const cursor = filters && parseLogCursor(params)
  const [refusalPage, checkoutPages] = await Promise.all([cursor && listRefusals(sellerId, cursor, filters), listCheckoutPages(sellerId)])
  const [first, last] = [refusalPage?.refusals[0], refusalPage?.refusals.at(-1)]
  const { date, pageId } = filters ?? {}
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
  const { nothingMatches, nothingMatchesHint } = listCopy
  const emptyCopy = isFiltered ? { ...copy, none: nothingMatches(copy.what, undefined), noneHint: nothingMatchesHint(false) } : copy
  const section = { title: copy.title, hint, action: actions, isWholePage: true }
  if (!refusalPage || !first || !last)
    return (
      <main className={MAIN}>
        <NoEntries {...section} copy={emptyCopy} path={PATH} cursor={cursor} />
      </main>
    )
  const { columns } = copy
  return (
    <main className={MAIN}>
      <SettingsSection {...section}>
        <Table caption={copy.title} headers={Object.values(columns)}>
          {refusalPage.refusals.map((refusal) => (
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
          query={query}
          label={copy.pages}
          what={copy.what}
          newer={refusalPage.hasNewer ? first.id : undefined}
          older={refusalPage.hasOlder ? last.id : undefined}
        />
      </SettingsSection>
    </main>
  )
}
