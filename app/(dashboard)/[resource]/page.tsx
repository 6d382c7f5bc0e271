/** The table of a resource: the same list query as the API's, with the same parameters. */
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Suspense } from 'react'
import { makeRow, statusWords } from '@/app/_components/cells'
import { ColumnsButton } from '@/app/_components/columns'
import { CopyButton } from '@/app/_components/copy-button'
import { Icon } from '@/app/_components/icon'
import { Notice } from '@/app/_components/notice'
import { Pager } from '@/app/_components/pager'
import { RecordsTable } from '@/app/_components/records-table'
import { TableSkeleton } from '@/app/_components/table-skeleton'
import { type Filter, Toolbar } from '@/app/_components/toolbar'
import { listWords } from '@/app/copy/list'
import { words } from '@/app/copy/shop'
import { type Given, loadList, toQuery } from '@/app/load-list'
import { ownAddress } from '@/app/own-address'
import { requirePerson } from '@/app/session'
import { listPages } from '@/lib/accounts/pages'
import { type ShownColumns, shownColumns } from '@/lib/accounts/preferences'
import type { Person } from '@/lib/accounts/sessions'
import { isResourceName, type ResourceName, resources } from '@/lib/catalog'
import type { Column } from '@/lib/catalog/columns'
import { listParams } from '@/lib/catalog/list-params'
import type { Resource } from '@/lib/catalog/resource'
import { toListQuery } from '@/lib/listing/list-query'
import { listRecords } from '@/lib/listing/list-records'
import { NO_LIMIT, positionOf, statusCounts } from '@/lib/listing/position-and-counts'
import { curlOf, exportPath } from './calls'

type Props = { params: Promise<{ resource: string }>; searchParams: Promise<Given> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { resource } = await params
  return { title: isResourceName(resource) ? `${words.resources[resource]} · ${words.name}` : words.name }
}

export default async function ListPage({ params: path, searchParams }: Props) {
  const { resource: name } = await path
  if (!isResourceName(name)) notFound()
  const query = toQuery(await searchParams)
  const here = `/${name}`
  // Asked before anything is sent, so that a refusal has its own status.
  const person = await requirePerson('records', query.size > 0 ? `${here}?${query}` : here)
  return (
    <main className="mx-auto max-w-7xl px-4 py-5 sm:px-6">
      <h1 className="mb-4 font-semibold text-xl tracking-tight">{words.resources[name]}</h1>
      <Suspense fallback={<TableSkeleton />}>
        <List name={name} person={person} query={query} />
      </Suspense>
    </main>
  )
}

/** What is shown of each column: as its declaration has it, unless this person has chosen; a column that is no more counts for nothing. */
const visibleColumns = (columns: readonly Column[], chosen: ShownColumns) =>
  Object.fromEntries(columns.map(({ key, hidden }) => [key, chosen[key] ?? !hidden]))

async function List({ name, person, query }: { name: ResourceName; person: Person; query: URLSearchParams }) {
  const here = `/${name}`
  const resource: Resource = resources[name]
  const { filters, columns } = resource
  const { params, page, complaint } = await loadList(query, listParams(filters), (params) =>
    listRecords(toListQuery(resource, person.sellerId, params)),
  )
  if (!page) {
    return (
      <Notice title={listWords.badLink} hint={complaint}>
        <Link className="button" href={here}>
          {listWords.firstPage}
        </Link>
      </Notice>
    )
  }

  const records = page.rows.map((record) => JSON.parse(record.toString()) as Record<string, unknown>)
  const list = toListQuery(resource, person.sellerId, params)
  const [first, last] = [records[0], records.at(-1)]
  const [address, chosen, pages, counts, from] = await Promise.all([
    ownAddress(),
    shownColumns(person.userId, name),
    listPages(person.sellerId),
    statusCounts(list),
    first && list.cursor ? positionOf(list, String(first.id)) : 1,
  ])
  const context = { timeZone: person.timeZone, pageNames: new Map(pages.map(({ id, name: title }) => [id, title])) }
  const statuses = filters.status?.map((status) => ({
    value: status,
    label: `${statusWords(status)} (${(counts[status] ?? 0).toLocaleString('en')})`,
  }))
  const narrowedBy: Filter[] = []
  if (statuses) narrowedBy.push({ name: 'status', label: listWords.status, any: listWords.anyStatus, choices: statuses })
  if (filters.pageId) {
    const choices = pages.map(({ id, name: title }) => ({ value: id, label: title }))
    narrowedBy.push({ name: 'pageId', label: listWords.page, any: listWords.anyPage, choices })
  }
  const to = from === undefined ? undefined : from + records.length - 1
  // Deep in a long list the position is not counted; the page itself knows its neighbors.
  const hasNewer = from === undefined ? page.hasNewer : from > 1
  const hasOlder = to === undefined ? page.hasOlder : to < page.total
  const shown = visibleColumns(columns, chosen)
  const findPosition = () => positionOf(list, String(first?.id), NO_LIMIT)
  const narrowed = Boolean(params.search || params.status || params.pageId)

  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <Toolbar path={here} words={{ search: listWords.search, hint: listWords.searchHint[name] }} filters={narrowedBy} />
        <div className="flex flex-wrap gap-2 max-sm:grow max-sm:*:grow">
          {page.total > 0 ? (
            <a className="button" href={exportPath(name, params)} title={listWords.exportHint} download>
              <Icon name="download" />
              {listWords.exportAll(page.total)}
            </a>
          ) : null}
          <CopyButton text={curlOf(address, name, query)} what={listWords.curlWhat} className="button max-sm:hidden">
            {listWords.curl}
          </CopyButton>
          <ColumnsButton
            key={name}
            resource={name}
            columns={columns.slice(1).map(({ key, label }) => ({ key, label, shown: shown[key] === true }))}
            words={{ columns: listWords.columns, notKept: listWords.notKept }}
          />
        </div>
      </div>
      {records.length > 0 ? (
        <RecordsTable
          resource={name}
          columns={columns}
          caption={words.resources[name]}
          words={{ test: listWords.test }}
          shown={shown}
          rows={records.map((record) => makeRow(record, columns, context))}
        />
      ) : (
        <Notice
          title={narrowed ? listWords.nothingMatches : listWords.nothingYet(words.resources[name])}
          hint={narrowed ? listWords.nothingMatchesHint : listWords.nothingYetHint}
        >
          {narrowed ? (
            <Link className="button" href={here}>
              {listWords.clear}
            </Link>
          ) : null}
        </Notice>
      )}
      <Pager
        path={here}
        query={query}
        newer={hasNewer && first ? String(first.id) : undefined}
        older={hasOlder && last ? String(last.id) : undefined}
        position={
          records.length > 0 ? <Position here={from} count={records.length} total={page.total} find={findPosition} /> : listWords.none
        }
      />
    </>
  )
}

type PositionProps = { here: number | undefined; count: number; total: number; find: () => Promise<number | undefined> }

/** Where the page stands in its list. Deep in a long one that has to be counted: it comes after the page, which does not wait for it. */
function Position({ here, count, total, find }: PositionProps) {
  if (here !== undefined) return listWords.position(here, count, total)
  return (
    <Suspense fallback={listWords.position(undefined, count, total)}>
      <FoundPosition count={count} total={total} find={find} />
    </Suspense>
  )
}

async function FoundPosition({ count, total, find }: Omit<PositionProps, 'here'>) {
  return listWords.position(await find(), count, total)
}
