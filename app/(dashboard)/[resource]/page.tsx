/** The table of a resource. It uses the API's list query with the same parameters. */
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Suspense } from 'react'
import { makeRow, statusLabel } from '@/app/_components/cells'
import { ColumnsButton } from '@/app/_components/columns'
import { CopyButton } from '@/app/_components/copy-button'
import { Icon } from '@/app/_components/icon'
import { Notice } from '@/app/_components/notice'
import { Pager } from '@/app/_components/pager'
import { RecordsTable } from '@/app/_components/records-table'
import { TableSkeleton } from '@/app/_components/table-skeleton'
import { type Filter, Toolbar } from '@/app/_components/toolbar'
import { customerCopy } from '@/app/copy/customer'
import { listCopy } from '@/app/copy/list'
import { shopCopy } from '@/app/copy/shop'
import { loadList, type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { type ShownColumns, shownColumns } from '@/lib/accounts/preferences'
import type { SessionUser } from '@/lib/accounts/sessions'
import { isResourceName, type ResourceName, resources } from '@/lib/catalog'
import type { Column } from '@/lib/catalog/columns'
import { listParams } from '@/lib/catalog/list-params'
import type { Resource } from '@/lib/catalog/resource'
import { CUSTOMER_LISTS } from '@/lib/listing/customer'
import { toListQuery } from '@/lib/listing/list-query'
import { listRecords } from '@/lib/listing/list-records'
import { NO_LIMIT, positionOf, statusCounts } from '@/lib/listing/position-and-counts'
import { CreateCoupon } from './_coupons/coupon-dialogs'
import { buildCurlCommand, exportPath } from './calls'

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
  return (
    <main className="mx-auto max-w-7xl px-4 py-5 sm:px-6">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <h1 className="font-semibold text-xl tracking-tight">{resources[name].label.many}</h1>
        {name === 'coupons' ? (
          <CreateCoupon pages={await listCheckoutPages(user.sellerId)} timeZone={user.timeZone} origin={await getPublicBaseUrl()} />
        ) : null}
      </div>
      <Suspense fallback={<TableSkeleton />}>
        <List name={name} user={user} query={query} />
      </Suspense>
    </main>
  )
}

/** Returns the visibility of each column: the user's choice, otherwise the catalog's default. */
const visibleColumns = (columns: readonly Column[], chosen: ShownColumns) =>
  Object.fromEntries(columns.map(({ key, hidden }) => [key, chosen[key] ?? !hidden]))

async function List({ name, user, query }: { name: ResourceName; user: SessionUser; query: URLSearchParams }) {
  const here = `/${name}`
  const resource: Resource = resources[name]
  const { filters, columns } = resource
  const { params, page, error } = await loadList(query, listParams(filters), (params) =>
    listRecords(toListQuery(resource, user.sellerId, params)),
  )
  if (!page) {
    return (
      <Notice title={listCopy.badLink} hint={error}>
        <Link className="button" href={here}>
          {listCopy.firstPage}
        </Link>
      </Notice>
    )
  }

  const records = page.rows.map((record) => JSON.parse(record.toString()) as Record<string, unknown>)
  const list = toListQuery(resource, user.sellerId, params)
  const [first, last] = [records[0], records.at(-1)]
  const [address, chosen, pages, counts, from] = await Promise.all([
    getPublicBaseUrl(),
    shownColumns(user.userId, name),
    listCheckoutPages(user.sellerId),
    statusCounts(list),
    first && list.cursor ? positionOf(list, String(first.id)) : 1,
  ])
  const context = { timeZone: user.timeZone, pageNames: new Map(pages.map(({ id, name: title }) => [id, title])) }
  const statuses = filters.status?.map((status) => ({
    value: status,
    label: `${statusLabel(status)} (${(counts[status] ?? 0).toLocaleString('en-US')})`,
  }))
  const filterChoices: Filter[] = []
  if (statuses) filterChoices.push({ name: 'status', label: listCopy.status, any: listCopy.anyStatus, choices: statuses })
  if (filters.pageId) {
    const choices = pages.map(({ id, name: title }) => ({ value: id, label: title }))
    filterChoices.push({ name: 'pageId', label: listCopy.page, any: listCopy.anyPage, choices })
  }
  const to = from === undefined ? undefined : from + records.length - 1
  // Deep in a long list, the position is not counted here; the query returns whether there are newer and older records.
  const hasNewer = from === undefined ? page.hasNewer : from > 1
  const hasOlder = to === undefined ? page.hasOlder : to < page.total
  const shown = visibleColumns(columns, chosen)
  const findPosition = () => positionOf(list, String(first?.id), NO_LIMIT)
  const what = resources[name].label.many.toLowerCase()
  const isFiltered = Boolean(params.search || params.status || params.pageId || list.created)

  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <Toolbar
          path={here}
          copy={{ search: listCopy.search, hint: listCopy.searchHint(Object.values(resource.search)) }}
          filters={filterChoices}
          dates={{ bounds: listCopy.bounds, remove: listCopy.removeFilter }}
        />
        <div className="flex flex-wrap gap-2 max-sm:grow max-sm:*:grow">
          {page.total > 0 ? (
            <a className="button" href={exportPath(name, params)} title={listCopy.exportHint(page.total, what)} download>
              <Icon name="download" />
              {listCopy.exportAll(page.total)}
            </a>
          ) : null}
          <CopyButton text={buildCurlCommand(address, name, query)} what={listCopy.curlWhat} className="button max-sm:hidden">
            {listCopy.curl}
          </CopyButton>
          <ColumnsButton
            key={name}
            resource={name}
            columns={columns.slice(1).map(({ key, label }) => ({ key, label, shown: shown[key] === true }))}
            copy={{ columns: listCopy.columns, notSaved: listCopy.columnsNotSaved }}
          />
        </div>
      </div>
      {records.length > 0 ? (
        <RecordsTable
          resource={name}
          columns={columns}
          caption={resources[name].label.many}
          copy={{ test: listCopy.test }}
          shown={shown}
          rows={records.map((record) => makeRow(record, columns, context))}
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
        <Pager
          path={here}
          query={query}
          what={what}
          newer={hasNewer ? String(first.id) : undefined}
          older={hasOlder ? String(last.id) : undefined}
          position={<Position here={from} count={records.length} total={page.total} find={findPosition} />}
        />
      ) : null}
    </>
  )
}

/** Links to searches for the same text in the lists of orders, which can name a person without being linked to a customer. */
const OrderSearches = ({ search }: { search: string }) =>
  CUSTOMER_LISTS.map((name) => (
    <Link key={name} className="button" href={`/${name}?search=${encodeURIComponent(search)}`}>
      {customerCopy.searchIn(resources[name].label.many.toLowerCase())}
    </Link>
  ))

type PositionProps = { here: number | undefined; count: number; total: number; find: () => Promise<number | undefined> }

/** The position of the page in its list. Deep in a long list, it is streamed after the page, because counting it takes a while. */
function Position({ here, count, total, find }: PositionProps) {
  if (here !== undefined) return listCopy.position(here, count, total)
  return (
    <Suspense fallback={listCopy.position(undefined, count, total)}>
      <FoundPosition count={count} total={total} find={find} />
    </Suspense>
  )
}

async function FoundPosition({ count, total, find }: Omit<PositionProps, 'here'>) {
  return listCopy.position(await find(), count, total)
}
