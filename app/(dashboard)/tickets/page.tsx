/** The table of tickets. It uses the API's list with the same parameters. */
import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { makeRow, statusLabel } from '@/app/_components/cells'
import { DENSITY_COOKIE, toDensity } from '@/app/_components/density'
import { Link } from '@/app/_components/link'
import { Notice } from '@/app/_components/notice'
import { Pager } from '@/app/_components/pager'
import { RecordsTable } from '@/app/_components/records-table'
import { Toolbar } from '@/app/_components/toolbar'
import { filterCopy, listCopy } from '@/app/copy/list'
import { shopCopy } from '@/app/copy/shop'
import { loadList, type SearchParams, toQuery } from '@/app/load-list'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { tickets } from '@/lib/catalog/ticket'
import { TICKET_COLUMNS, TICKET_SEARCH, ticketParams } from '@/lib/catalog/ticket-operations'
import { ticketList } from '@/lib/listing/list-tickets'
import { listPlain } from '@/lib/listing/plain-list'
import { listSuffix } from '../[resource]/[id]/list-query'
import { dateFilter } from '../[resource]/table-view'

const PATH = '/tickets'
const title = tickets.label.many

export const metadata: Metadata = { title: `${title} · ${shopCopy.name}` }

const { status, checkInStatus } = tickets.record.shape
const choicesOf = (values: readonly string[]) => values.map((value) => ({ value, label: statusLabel(value) }))
const shown = Object.fromEntries(TICKET_COLUMNS.map(({ key }) => [key, true]))

export default async function TicketsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = toQuery(await searchParams)
  const { sellerId, timeZone } = await requireUser('records', query.size > 0 ? `${PATH}?${query}` : PATH)
  const [{ params, page, error }, pages] = await Promise.all([
    loadList(query, ticketParams, (given) => listPlain(ticketList(sellerId, given, false), sellerId, given)),
    listCheckoutPages(sellerId),
  ])
  const records = (page?.rows ?? []).map((pieces) => JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>)
  const context = { timeZone, pageNames: new Map(pages.map(({ id, name }) => [id, name])) }
  const [first, last] = [records[0], records.at(-1)]
  const what = title.toLowerCase()
  const isFiltered = query.size > 0
  return (
    <main className="px-4 pt-4 sm:px-6">
      <h1 className="mb-2 font-semibold text-xl tracking-tight">{title}</h1>
      <div className="mb-3">
        <Toolbar
          path={PATH}
          copy={{ search: listCopy.search, hint: listCopy.searchHint(Object.values(TICKET_SEARCH)) }}
          filters={[
            { kind: 'one', name: 'status', label: listCopy.status, any: listCopy.anyStatus, choices: choicesOf(status.options) },
            {
              kind: 'one',
              name: 'checkInStatus',
              label: listCopy.checkIn,
              any: listCopy.anyCheckIn,
              choices: choicesOf(checkInStatus.options),
            },
            {
              kind: 'one',
              name: 'pageId',
              label: listCopy.page,
              any: listCopy.anyPage,
              choices: pages.map(({ id, name }) => ({ value: id, label: name })),
            },
            dateFilter(timeZone, false),
          ]}
          filterCopy={filterCopy}
        />
      </div>
      {page && params ? (
        first && last ? (
          <>
            <RecordsTable
              resource="tickets"
              suffix={listSuffix(query)}
              columns={TICKET_COLUMNS}
              caption={title}
              density={toDensity((await cookies()).get(DENSITY_COOKIE)?.value)}
              shown={shown}
              rows={records.map((record) => makeRow(record, TICKET_COLUMNS, context))}
            />
            <Pager
              path={PATH}
              query={query}
              titles={{ previous: listCopy.newer(what), next: listCopy.older(what) }}
              newer={page.hasNewer ? String(first.id) : undefined}
              older={page.hasOlder ? String(last.id) : undefined}
              position={listCopy.position(
                query.has('starting_after') || query.has('ending_before') ? undefined : 1,
                records.length,
                page.total,
              )}
            />
          </>
        ) : (
          <Notice
            title={isFiltered ? listCopy.nothingMatches(what, params.search) : listCopy.nothingYet(what)}
            hint={isFiltered ? listCopy.nothingMatchesHint : listCopy.nothingYetHint(what)}
          >
            {isFiltered ? (
              <Link className="button" href={PATH}>
                {listCopy.clear}
              </Link>
            ) : null}
          </Notice>
        )
      ) : (
        <Notice title={listCopy.badLink} hint={error}>
          <Link className="button" href={PATH}>
            {listCopy.firstPage}
          </Link>
        </Notice>
      )}
    </main>
  )
}
