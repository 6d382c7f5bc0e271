/** The page with the tickets table. */
import type { Metadata } from 'next'
import { Link } from '@/app/_components/link'
import { PEEK } from '@/app/_components/peek-param'
import { renderWhenReady } from '@/app/_components/render-when-ready'
import { StatusTabs } from '@/app/_components/status-tabs'
import { withParams } from '@/app/_components/with-params'
import { listCopy } from '@/app/copy/list'
import { refusalCopy } from '@/app/copy/refusals'
import { loadList, type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { readColumns } from '@/lib/accounts/preferences'
import { tickets } from '@/lib/catalog/ticket'
import { TICKET_SEARCH } from '@/lib/catalog/ticket-operations'
import { TICKET_COLUMNS, ticketTableParams } from '@/lib/catalog/ticket-table'
import { findGuestCustomerIds } from '@/lib/listing/customer-orders'
import { suggestTicketSearch } from '@/lib/listing/suggest-search'
import { countTicketTabs, findTicketTypes, listTicketTable, ticketPosition, toTicketQuery } from '@/lib/listing/ticket-table'
import { ifAvailable } from '@/lib/reports/report-throttle'
import { buildTicketCurl } from '../[resource]/api-calls'
import { Position } from '../[resource]/position'
import { renderSuggestion } from '../[resource]/suggestion'
import { InvalidTableLink, TablePage, TableToolbar } from '../[resource]/table-page'
import { makeTicketFilters, makeTicketTabs } from '../[resource]/table-view'
import { loadSavedViews } from '../saved-views'

const PATH = '/tickets'
/** In a table with more tickets than this, the position is streamed after the page. */
const MAX_COUNTED_TICKETS = 10_000

export const metadata: Metadata = { title: tickets.label.many }

export default async function TicketsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = toQuery(await searchParams)
  const user = await requireUser('records', withParams(PATH, query))
  query.delete(PEEK)
  const { sellerId, timeZone } = user
  const [result, pages, origin, shownColumns, views] = await Promise.all([
    loadList(query, ticketTableParams, async (params) => {
      const table = toTicketQuery(sellerId, params, timeZone)
      const [types, rows] = await Promise.all([findTicketTypes(table), listTicketTable(table)])
      return { table, types, ...rows }
    }),
    listCheckoutPages(sellerId),
    getPublicBaseUrl(),
    readColumns(user.userId, 'tickets'),
    loadSavedViews(user),
  ])
  const toolbar = (
    <TableToolbar
      path={PATH}
      query={query}
      searchedMembers={Object.values(TICKET_SEARCH)}
      filters={makeTicketFilters(pages, result.page?.types ?? [], timeZone)}
    />
  )
  if (result.error !== undefined) {
    return (
      <main className="px-4 pt-4 sm:px-6">
        <InvalidTableLink path={PATH} query={query} hint={result.error} toolbar={toolbar} />
      </main>
    )
  }
  const { params, page } = result
  const { table, rows: records, total } = page
  const [first] = records
  const [start, customerIds, tabs, suggestion] = await Promise.all([
    first && table.cursor ? (total > MAX_COUNTED_TICKETS ? undefined : ifAvailable(ticketPosition(table, first.id))) : 1,
    findGuestCustomerIds(
      sellerId,
      records.map(({ id }) => id),
    ),
    renderWhenReady(
      countTicketTabs(table),
      (counts) => <StatusTabs label={listCopy.statuses} tabs={makeTicketTabs(PATH, query, counts)} />,
      <StatusTabs label={listCopy.statuses} tabs={makeTicketTabs(PATH, query, undefined)} />,
      query.toString(),
    ),
    total === 0 && params.search && renderSuggestion(user, PATH, query, () => suggestTicketSearch(table)),
  ])
  return (
    <main className="px-4 pt-4 sm:px-6">
      <TablePage
        name="tickets"
        label={tickets.label}
        user={user}
        query={query}
        views={views}
        shownColumns={shownColumns}
        columns={TICKET_COLUMNS}
        // The guest's name is shown in the customer column.
        records={records.map((ticket) => ({ ...ticket, billing: { name: ticket.customerName }, customerId: customerIds.get(ticket.id) }))}
        total={total}
        hasPrevious={page.hasPrevious}
        hasNext={page.hasNext}
        table={table}
        search={params.search}
        context={{ timeZone, pageNames: toPageNames(pages), customerIds: new Set(customerIds.values()) }}
        tabs={tabs}
        hasPeriods={false}
        action={
          <Link href="/tickets/refused" className="button max-sm:hidden">
            {refusalCopy.link}
          </Link>
        }
        toolbar={toolbar}
        hasSummary
        suggestion={suggestion}
        curl={buildTicketCurl(origin, table, query)}
        position={
          first ? (
            <Position
              key={query.toString()}
              start={start}
              count={records.length}
              total={total}
              findStart={() => ticketPosition(table, first.id)}
            />
          ) : null
        }
      />
    </main>
  )
}
