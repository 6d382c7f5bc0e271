/** Settings page for owners and staff: check-in conflicts. */
import type { Metadata } from 'next'
import type { z } from 'zod'
import { Link } from '@/app/_components/link'
import { Pager } from '@/app/_components/pager'
import { Cell, EmptyState, InvalidLink, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { hasCursor, withParams } from '@/app/_components/with-params'
import { conflictCopy as copy } from '@/app/copy/conflicts'
import { formatDay } from '@/app/copy/format'
import { listCopy } from '@/app/copy/list'
import { loadList, type SearchParams, toQuery } from '@/app/load-list'
import { requireUser } from '@/app/session'
import { type Page, readCursor, toPage } from '@/lib/listing/keyset'
import { conflictParams, type ListedConflict, listConflicts } from '@/lib/listing/list-conflicts'
import { ReviewConflict } from './review-conflict'

export const metadata: Metadata = { title: copy.title }

const PATH = '/settings/devices/conflicts'

type ScanProps = {
  /** ISO 8601; null if the time is unknown. */
  at: string | null
  /** The day of a check-in without a known time, as `YYYY-MM-DD`. */
  day?: string | null
  scanner: string | null
  timeZone: string
}

/** Shows who scanned, and the time of a scan or a check-in. */
function ScannerAndTime({ at, day = null, scanner, timeZone }: ScanProps) {
  return (
    <>
      {scanner}
      <span className="block text-quiet empty:hidden">
        {at !== null ? <Timestamp at={at} timeZone={timeZone} withSeconds /> : day !== null ? formatDay(day) : null}
      </span>
    </>
  )
}

/** Returns the text for a conflict without a ticket. */
const formatMissingTicket = ({ kind }: ListedConflict) => (kind === 'unreadable' ? copy.unreadableTicket : copy.unknownTicket)

function Ticket({ conflict }: { conflict: ListedConflict }) {
  const { ticketId, guest, shortId, event } = conflict
  return (
    <>
      {ticketId === null ? (
        formatMissingTicket(conflict)
      ) : (
        <Link href={`/tickets/${ticketId}`} className="font-medium underline-offset-4 hover:underline">
          {guest ?? copy.noName}
        </Link>
      )}
      <span className="block text-quiet">{[shortId, event].filter(Boolean).join(' · ')}</span>
    </>
  )
}

type ConflictsProps = { conflicts: ListedConflict[]; timeZone: string }

function Conflicts({ conflicts, timeZone }: ConflictsProps) {
  const { columns } = copy
  return (
    <Table caption={copy.title} headers={Object.values(columns)}>
      {conflicts.map((conflict) => (
        <Row key={conflict.id}>
          <Cell label={columns.what}>
            <span className="font-medium">{copy.kinds[conflict.kind]}</span>
            {conflict.isOverride ? <span className="block text-quiet">{copy.override}</span> : null}
          </Cell>
          <Cell label={columns.ticket}>
            <Ticket conflict={conflict} />
          </Cell>
          <Cell label={columns.scan}>
            <ScannerAndTime at={conflict.at} scanner={conflict.scannedBy} timeZone={timeZone} />
          </Cell>
          <Cell label={columns.checkIn}>
            {(conflict.checkedInBy ?? conflict.checkedInAt ?? conflict.checkedInDay) === null ? (
              copy.noCheckIn
            ) : (
              <ScannerAndTime at={conflict.checkedInAt} day={conflict.checkedInDay} scanner={conflict.checkedInBy} timeZone={timeZone} />
            )}
          </Cell>
          <Cell label={columns.review}>
            {conflict.reviewedAt === null ? (
              <ReviewConflict
                id={conflict.id}
                name={copy.reviewAccessibleName(copy.kinds[conflict.kind], conflict.guest ?? formatMissingTicket(conflict))}
              />
            ) : (
              <>
                {copy.reviewedBy(conflict.reviewedBy)}
                <span className="block">
                  <Timestamp at={conflict.reviewedAt} timeZone={timeZone} />
                </span>
                <span className="block text-quiet">{conflict.note}</span>
              </>
            )}
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

type ResultsProps = { page: Page<ListedConflict>; query: URLSearchParams; timeZone: string }

function Results({ page: { rows, hasPrevious, hasNext }, query, timeZone }: ResultsProps) {
  // If a page after or before a cursor is empty, the cursor's conflict no longer exists.
  const isDeleted = rows.length === 0 && hasCursor(query)
  if (isDeleted) return <InvalidLink hint={listCopy.badLinkHints.cursor} href={PATH} />
  if (rows.length === 0) return <EmptyState title={copy.none} hint={copy.noneHint} />
  return (
    <>
      <Conflicts conflicts={rows} timeZone={timeZone} />
      <Pager
        path={PATH}
        query={query}
        titles={copy.pages}
        previous={hasPrevious ? rows[0]?.cursor : undefined}
        next={hasNext ? rows.at(-1)?.cursor : undefined}
        position={copy.shown(rows.length)}
      />
    </>
  )
}

async function loadConflicts(sellerId: string, params: z.output<typeof conflictParams>): Promise<Page<ListedConflict>> {
  const { limit } = params
  const { cursor, direction } = readCursor(params)
  return toPage(await listConflicts(sellerId, { cursor, direction, limit: limit + 1 }), { cursor, direction, limit })
}

export default async function ConflictsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = toQuery(await searchParams)
  const { sellerId, timeZone } = await requireUser('records', withParams(PATH, query))
  const { page, error } = await loadList(query, conflictParams, (params) => loadConflicts(sellerId, params))
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
      {page ? <Results page={page} query={query} timeZone={timeZone} /> : <InvalidLink hint={error} href={PATH} />}
    </SettingsSection>
  )
}
