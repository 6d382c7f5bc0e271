/** The page with a resource's table. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import type { ReactNode } from 'react'
import { DocumentBoundary } from '@/app/_components/document-boundary'
import { Link } from '@/app/_components/link'
import { PEEK } from '@/app/_components/peek-param'
import { renderWhenReady } from '@/app/_components/render-when-ready'
import { StatusTabs } from '@/app/_components/status-tabs'
import { TableSkeleton } from '@/app/_components/table-skeleton'
import { withParams } from '@/app/_components/with-params'
import { customerCopy } from '@/app/copy/customer'
import { listCopy } from '@/app/copy/list'
import { isNavigation } from '@/app/is-navigation'
import { loadList, type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { readColumns } from '@/lib/accounts/preferences'
import type { SessionUser } from '@/lib/accounts/sessions'
import { isResourceName, type ResourceName, resources } from '@/lib/catalog'
import { hasRevenue, type Resource } from '@/lib/catalog/resource'
import { tableParams } from '@/lib/catalog/table-params'
import { formatMoney } from '@/lib/core/money'
import { CUSTOMER_RESOURCES, findCustomerIds } from '@/lib/listing/customer-orders'
import { listTable, tablePosition } from '@/lib/listing/list-table'
import { suggestSearch } from '@/lib/listing/suggest-search'
import { sumDue } from '@/lib/listing/sum-due'
import { countStatuses, countTests, type Facets, readFacets, type Sum, sumFiltered } from '@/lib/listing/table-facets'
import { type TableQuery, toTableQuery } from '@/lib/listing/table-query'
import { countTableFailureReasons, isFailedOrdersTable } from '@/lib/reports/failure-reasons'
import { ifAvailable } from '@/lib/reports/report-throttle'
import { loadSavedViews } from '../saved-views'
import { CreateCoupon } from './_coupons/create-coupon'
import { hasFilters } from './[id]/list-query'
import { buildCurlCommand } from './api-calls'
import { FailureNote } from './failure-note'
import { Position } from './position'
import { renderSuggestion } from './suggestion'
import { InvalidTableLink, TablePage, TableToolbar } from './table-page'
import { makeFilters, makeTabs } from './table-view'

type Props = { params: Promise<{ resource: string }>; searchParams: Promise<SearchParams> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { resource } = await params
  return isResourceName(resource) ? { title: resources[resource].label.many } : {}
}

export default async function ListPage({ params, searchParams }: Props) {
  const { resource: name } = await params
  if (!isResourceName(name)) notFound()
  const query = toQuery(await searchParams)
  const path = `/${name}`
  // Check access before streaming starts, so that a denied request can still get a 403 or a redirect.
  const user = await requireUser('records', withParams(path, query))
  query.delete(PEEK)
  return (
    <main className="px-4 pt-4 sm:px-6">
      <DocumentBoundary fallback={(await isNavigation()) ? undefined : <TableSkeleton title={resources[name].label.many} />}>
        <List name={name} user={user} query={query} />
      </DocumentBoundary>
    </main>
  )
}

async function List({ name, user, query }: { name: ResourceName; user: SessionUser; query: URLSearchParams }) {
  const path = `/${name}`
  const resource: Resource = resources[name]
  const { filters, columns } = resource
  const [result, pages, origin, shownColumns, views] = await Promise.all([
    loadList(query, tableParams(resource), async (params) => {
      const table = toTableQuery(resource, user.sellerId, params, user.timeZone)
      return { table, ...(await listTable(table)) }
    }),
    listCheckoutPages(user.sellerId),
    getPublicBaseUrl(),
    readColumns(user.userId, name),
    loadSavedViews(user),
  ])
  const toolbar = (
    <TableToolbar
      path={path}
      query={query}
      searchedMembers={listSearchedMembers(resource)}
      filters={makeFilters(resource, pages, user.timeZone)}
    />
  )
  if (result.error !== undefined) return <InvalidTableLink path={path} query={query} hint={result.error} toolbar={toolbar} />

  const { params, page } = result
  const { table, total, facets } = page
  const records = page.rows.map((record) => JSON.parse(record.toString()) as Record<string, unknown>)
  const [first] = records
  const key = query.toString()
  const hasSummary = hasFilters(query) && 'amount' in resource.table
  const [start, customerIds, tabs, summary, reasons, suggestion] = await Promise.all([
    first && table.cursor ? ifAvailable(tablePosition(table, total, String(first.id), { isQuick: true })) : 1,
    findCustomerIds(
      user.sellerId,
      records.map(({ customerId }) => customerId),
    ),
    filters.tabs &&
      renderWhenReady(
        facets ? Promise.resolve(facets.statuses) : countStatuses(table),
        (counts) => <StatusTabs label={listCopy.statuses} tabs={makeTabs(resource, path, query, counts) ?? []} />,
        <StatusTabs label={listCopy.statuses} tabs={makeTabs(resource, path, query, undefined) ?? []} />,
        key,
      ),
    hasSummary &&
      renderWhenReady(
        Promise.all([facets ?? readFacets(table), ifAvailable(sumDue(table))]),
        ([found, due]) => renderSummary(table, total, resource.label, found, due),
        null,
        key,
      ),
    isFailedOrdersTable(table) &&
      renderWhenReady(ifAvailable(countTableFailureReasons(table)), (counts) => <FailureNote counts={counts} />, null, key),
    total === 0 && params.search && renderSuggestion(user, path, query, () => suggestSearch(table)),
  ])
  const currency = records.map((record) => record.currency).find((code) => typeof code === 'string')
  return (
    <TablePage
      name={name}
      label={resource.label}
      user={user}
      query={query}
      views={views}
      shownColumns={shownColumns}
      columns={columns}
      records={records}
      total={total}
      hasPrevious={page.hasPrevious}
      hasNext={page.hasNext}
      table={table}
      currency={typeof currency === 'string' ? currency.toUpperCase() : undefined}
      search={params.search}
      context={{ timeZone: user.timeZone, pageNames: toPageNames(pages), customerIds }}
      tabs={tabs}
      hasPeriods={filters.tabs !== undefined}
      action={name === 'coupons' ? <CreateCoupon pages={pages} timeZone={user.timeZone} origin={origin} /> : null}
      toolbar={toolbar}
      hasSummary={hasRevenue(resource)}
      curl={buildCurlCommand(origin, name, table, query)}
      position={
        first ? (
          <Position
            key={key}
            start={start}
            count={records.length}
            total={total}
            findStart={() => tablePosition(table, total, String(first.id))}
          />
        ) : null
      }
      summary={summary}
      note={reasons}
      suggestion={suggestion}
      emptyActions={name === 'customers' && params.search ? <OrderSearches search={params.search} /> : null}
    />
  )
}

/** Returns the labels of the members that the table searches: those searched by the API, plus the name if records have one. */
function listSearchedMembers({ search, table }: Resource): string[] {
  const members = Object.values(search)
  return 'names' in table && !members.includes(listCopy.name) ? [listCopy.name, ...members] : members
}

/** @param due the outstanding amount in each currency, or undefined if unknown */
function renderSummary(table: TableQuery, total: number, { one, many }: Resource['label'], facets: Facets, due: Sum[] = []): ReactNode {
  const sums = sumFiltered(table, facets).map(({ currency, amount }) => {
    const format = (money: number) => formatMoney(money, currency || undefined)
    const amountDue = due.find((sum) => sum.currency === currency)?.amount ?? 0
    return amountDue === 0 ? format(amount) : listCopy.received(format(amount), format(amount - amountDue))
  })
  return (
    <span title={due.some(({ amount }) => amount !== 0) ? `${listCopy.summaryHint} ${listCopy.receivedHint}` : listCopy.summaryHint}>
      {listCopy.summary(total, one.toLowerCase(), many.toLowerCase(), sums, countTests(table, facets))}
    </span>
  )
}

/** Links to the same search in the lists of orders, because orders can mention people who are not customers. */
const OrderSearches = ({ search }: { search: string }) =>
  CUSTOMER_RESOURCES.map((name) => (
    <Link key={name} className="button" href={`/${name}?search=${encodeURIComponent(search)}`}>
      {customerCopy.searchIn(resources[name].label.many.toLowerCase())}
    </Link>
  ))
