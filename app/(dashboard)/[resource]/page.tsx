/** The table of a resource. */
import type { Metadata } from 'next'
import { cookies, headers } from 'next/headers'
import { notFound } from 'next/navigation'
import { type ReactNode, Suspense } from 'react'
import { makeRow } from '@/app/_components/cells'
import { ColumnsButton } from '@/app/_components/columns'
import { CopyButton } from '@/app/_components/copy-button'
import { DENSITY_COOKIE, toDensity } from '@/app/_components/density'
import { DensityChoice } from '@/app/_components/density-choice'
import { Icon } from '@/app/_components/icon'
import { Link } from '@/app/_components/link'
import { NewRecords } from '@/app/_components/new-records'
import { Notice } from '@/app/_components/notice'
import { Pager } from '@/app/_components/pager'
import { RecordsTable } from '@/app/_components/records-table'
import { SelectionBar } from '@/app/_components/selection-bar'
import { StatusTabs } from '@/app/_components/status-tabs'
import { TableSkeleton } from '@/app/_components/table-skeleton'
import { Toolbar } from '@/app/_components/toolbar'
import { NO_CURSOR, withParams } from '@/app/_components/with-params'
import { customerCopy } from '@/app/copy/customer'
import { filterCopy, listCopy, selectionCopy } from '@/app/copy/list'
import { shopCopy } from '@/app/copy/shop'
import { loadList, type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { type ShownColumns, shownColumns } from '@/lib/accounts/preferences'
import { mayDelete, toViewQuery } from '@/lib/accounts/saved-views'
import type { SessionUser } from '@/lib/accounts/sessions'
import { isResourceName, type ResourceName, resources } from '@/lib/catalog'
import type { Column } from '@/lib/catalog/columns'
import { isSold, type Resource } from '@/lib/catalog/resource'
import { tableParams } from '@/lib/catalog/table-params'
import { formatMoney } from '@/lib/core/money'
import { CUSTOMER_LISTS } from '@/lib/listing/customer'
import { listTable, tablePosition } from '@/lib/listing/list-table'
import { NO_LIMIT, statusCounts } from '@/lib/listing/position-and-counts'
import { type Facets, readFacets, sumsOf } from '@/lib/listing/table-facets'
import { asListQuery, type TableQuery, toTableQuery } from '@/lib/listing/table-query'
import { savedViewsOf } from '../saved-views'
import { CreateCoupon } from './_coupons/coupon-dialogs'
import { SaveView } from './_views/save-view'
import { listSuffix } from './[id]/list-query'
import { buildCurlCommand, exportPath } from './calls'
import { ExportMenu } from './export-menu'
import { filtersOf, quickPeriods, sortOf, tabsOf } from './table-view'

type Props = { params: Promise<{ resource: string }>; searchParams: Promise<SearchParams> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { resource } = await params
  return { title: isResourceName(resource) ? `${resources[resource].label.many} · ${shopCopy.name}` : shopCopy.name }
}

export default async function ListPage({ params: path, searchParams }: Props) {
  const { resource: name } = await path
  if (!isResourceName(name)) notFound()
  const query = toQuery(await searchParams)
  const here = `/${name}`
  // Check access before streaming starts, so that a denied request can still get a 403 or a redirect.
  const user = await requireUser('records', query.size > 0 ? `${here}?${query}` : here)
  const props = { name, user, query }
  // A navigation from another page keeps that page until the rows are there: React shows a fallback for at least 300 ms.
  const isNavigation = (await headers()).get('sec-fetch-dest') === 'empty'
  return (
    <main className="px-4 pt-4 sm:px-6">
      <Suspense fallback={<TableSkeleton title={resources[name].label.many} />}>
        {isNavigation ? await List(props) : <List {...props} />}
      </Suspense>
    </main>
  )
}

/** Returns the visibility of each column: the user's choice, otherwise the catalog's default. */
const visibleColumns = (columns: readonly Column[], chosen: ShownColumns) =>
  Object.fromEntries(columns.map(({ key, hidden }) => [key, chosen[key] ?? !hidden]))

/** How long a page waits for figures that can also be sent after its rows, in milliseconds. */
const PATIENCE_MS = 40

/** Returns the value of a promise if it is known soon. */
async function settledSoon<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, undefined)
  })
  // A later error is reported where the promise is awaited.
  return Promise.race([promise.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}

/** Shows a figure if it is known soon, and otherwise the fallback, which has its size, until it is. */
async function soon<T>(promise: Promise<T>, show: (value: T) => ReactNode, fallback: ReactNode, key: string): Promise<ReactNode> {
  const value = await settledSoon(promise)
  if (value !== undefined) return show(value)
  const Later = async () => show(await promise)
  return (
    <Suspense key={key} fallback={fallback}>
      <Later />
    </Suspense>
  )
}

const FILTERS = ['search', 'status', 'pageId', 'period', 'method', 'currency', 'livemode', 'amount[gte]', 'amount[lte]']

/** Returns the number of records by status, with every other filter applied. */
async function countStatuses(table: TableQuery, facets: Facets | undefined): Promise<Record<string, number>> {
  if (facets) return facets.statuses
  const list = asListQuery({ ...table, statuses: [], sort: 'createdAt', isAscending: false, cursor: undefined })
  return list && !list.search && !list.created ? statusCounts(list) : (await readFacets(table)).statuses
}

async function List({ name, user, query }: { name: ResourceName; user: SessionUser; query: URLSearchParams }) {
  const here = `/${name}`
  const resource: Resource = resources[name]
  const { filters, columns, label } = resource
  const loaded = await loadList(query, tableParams(resource), async (params) => {
    const table = toTableQuery(resource, user.sellerId, params, user.timeZone)
    return { table, ...(await listTable(table)) }
  })
  const toolbarOf = (pages: Awaited<ReturnType<typeof listCheckoutPages>>) => (
    <Toolbar
      path={here}
      copy={{ search: listCopy.search, hint: listCopy.searchHint(searchedMembers(resource)) }}
      filters={filtersOf(resource, pages, user.timeZone)}
      filterCopy={filterCopy}
    />
  )
  if (!loaded.page) {
    return (
      <>
        {/* The filters can be corrected. */}
        {toolbarOf(await listCheckoutPages(user.sellerId))}
        <Notice title={listCopy.badLink} hint={loaded.error}>
          <Link className="button" href={here}>
            {listCopy.firstPage}
          </Link>
        </Notice>
      </>
    )
  }

  const { params, page } = loaded
  const { table, total, facets } = page
  const records = page.records.map((record) => JSON.parse(record.toString()) as Record<string, unknown>)
  const [first, last] = [records[0], records.at(-1)]
  const key = query.toString()
  const isFiltered = FILTERS.some((filter) => query.has(filter)) || table.created !== undefined
  const [one, what] = [label.one.toLowerCase(), label.many.toLowerCase()]
  const isSummed = isFiltered && 'amount' in resource.table
  const viewQuery = toViewQuery(query)
  const [address, views, chosen, pages, jar, from, tabs, summary] = await Promise.all([
    getPublicBaseUrl(),
    savedViewsOf(user),
    shownColumns(user.userId, name),
    listCheckoutPages(user.sellerId),
    cookies(),
    first && table.cursor ? tablePosition(table, total, String(first.id)) : 1,
    filters.tabs &&
      soon(
        countStatuses(table, facets),
        (counts) => <StatusTabs label={listCopy.statuses} tabs={tabsOf(resource, here, query, counts) ?? []} />,
        <StatusTabs label={listCopy.statuses} tabs={tabsOf(resource, here, query, undefined) ?? []} />,
        key,
      ),
    isSummed && soon(facets ? Promise.resolve(facets) : readFacets(table), (sums) => summaryOf(table, total, one, what, sums), null, key),
  ])
  const density = toDensity(jar.get(DENSITY_COOKIE)?.value)
  const context = { timeZone: user.timeZone, pageNames: new Map(pages.map(({ id, name: title }) => [id, title])) }
  const shown = visibleColumns(columns, chosen)
  const currency = records.map((record) => record.currency).find((code) => typeof code === 'string')
  const curl = buildCurlCommand(address, name, table, query)
  const newer = first && !table.cursor && table.sort === 'createdAt' && !table.isAscending ? String(first.id) : undefined
  const isDated = table.sort === 'createdAt' && !table.isAscending

  return (
    <>
      <div className="mb-2 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1">
        <h1 className="font-semibold text-xl tracking-tight">{label.many}</h1>
        {tabs}
        <div className="ml-auto flex items-center gap-2">
          {filters.tabs ? (
            <div className="hidden min-[1360px]:block">
              <StatusTabs label={listCopy.quickPeriods} tabs={quickPeriods(here, query)} />
            </div>
          ) : null}
          {name === 'coupons' ? <CreateCoupon pages={pages} timeZone={user.timeZone} origin={address} /> : null}
        </div>
      </div>
      <div className="mb-2 flex flex-wrap items-start gap-2 lg:flex-nowrap">
        {toolbarOf(pages)}
        <div className="flex shrink-0 flex-wrap gap-2 max-sm:grow max-sm:*:grow">
          {viewQuery ? (
            <SaveView
              key={viewQuery}
              resource={name}
              query={viewQuery}
              saved={views.find((view) => mayDelete(user, view) && view.resource === name && view.query === viewQuery)}
            />
          ) : null}
          <ColumnsButton
            key={name}
            resource={name}
            columns={columns.slice(1).map(({ key: column, label: text }) => ({ key: column, label: text, shown: shown[column] === true }))}
            copy={{ columns: listCopy.columns, notSaved: listCopy.columnsNotSaved }}
          />
          {total > 0 ? (
            <ExportMenu
              path={exportPath(name, query)}
              label={listCopy.exportAll(total)}
              title={listCopy.exportHint(total, what)}
              hasSummary={isSold(resource)}
            />
          ) : null}
          {curl ? (
            <CopyButton text={curl} what={listCopy.curlWhat} className="button px-2.5 max-sm:hidden" />
          ) : (
            <button
              type="button"
              disabled
              aria-label={listCopy.curl}
              title={listCopy.curlUnavailable}
              className="button px-2.5 max-sm:hidden"
            >
              <Icon name="copy" />
            </button>
          )}
          <DensityChoice density={density} />
        </div>
      </div>
      {newer ? (
        <NewRecords
          key={`${key} ${newer}`}
          path={withParams(`${here}/newer`, query, { ...NO_CURSOR, ending_before: newer })}
          one={listCopy.newRecords(one)}
          many={listCopy.newRecords(what)}
        />
      ) : null}
      {records.length > 0 ? (
        <RecordsTable
          resource={name}
          suffix={listSuffix(query)}
          columns={columns}
          caption={label.many}
          shown={shown}
          density={density}
          rows={records.map((record) => makeRow(record, columns, context))}
          sortOf={(column) => sortOf(column, here, query, table, typeof currency === 'string' ? currency.toUpperCase() : undefined)}
          isSelectable
        />
      ) : (
        <Notice
          title={isFiltered ? listCopy.nothingMatches(what, params.search) : listCopy.nothingYet(what)}
          hint={isFiltered ? listCopy.nothingMatchesHint : listCopy.nothingYetHint(what)}
        >
          {isFiltered ? (
            <Link className="button" href={here}>
              {listCopy.clear}
            </Link>
          ) : null}
          {name === 'customers' && params.search ? <OrderSearches search={params.search} /> : null}
        </Notice>
      )}
      {first && last ? (
        <>
          <Pager
            path={here}
            query={query}
            titles={
              isDated
                ? { previous: listCopy.newer(what), next: listCopy.older(what) }
                : { previous: listCopy.previousPage, next: listCopy.nextPage }
            }
            newer={page.hasPrevious ? String(first.id) : undefined}
            older={page.hasNext ? String(last.id) : undefined}
            position={<Position key={key} here={from} count={records.length} total={total} table={table} first={String(first.id)} />}
            summary={summary}
          />
          <SelectionBar key={key} exportPath={exportPath(name, query)} copy={selectionCopy} />
        </>
      ) : null}
    </>
  )
}

/** Returns the names of the searched members, and of the names that only the tables search. */
function searchedMembers({ search, table }: Resource): string[] {
  const members = Object.values(search)
  return 'names' in table && !members.includes(listCopy.name) ? [listCopy.name, ...members] : members
}

function summaryOf(table: TableQuery, total: number, one: string, many: string, facets: Facets): ReactNode {
  const sums = sumsOf(table, facets).map(({ currency, amount }) => formatMoney(amount, currency || undefined))
  return <span title={listCopy.summaryHint}>{listCopy.summary(total, one, many, sums)}</span>
}

/** Links to searches for the same text in the lists of orders, which can name a person without being linked to a customer. */
const OrderSearches = ({ search }: { search: string }) =>
  CUSTOMER_LISTS.map((name) => (
    <Link key={name} className="button" href={`/${name}?search=${encodeURIComponent(search)}`}>
      {customerCopy.searchIn(resources[name].label.many.toLowerCase())}
    </Link>
  ))

type PositionProps = { here: number | undefined; count: number; total: number; table: TableQuery; first: string }

/** The position of the page in its list. Deep in a long list, it is streamed after the page, because counting it takes a while. */
function Position({ here, count, total, table, first }: PositionProps) {
  if (here !== undefined) return listCopy.position(here, count, total)
  return (
    <Suspense fallback={listCopy.position(undefined, count, total)}>
      <FoundPosition here={here} count={count} total={total} table={table} first={first} />
    </Suspense>
  )
}

async function FoundPosition({ count, total, table, first }: PositionProps) {
  return listCopy.position(await tablePosition(table, total, first, NO_LIMIT), count, total)
}
