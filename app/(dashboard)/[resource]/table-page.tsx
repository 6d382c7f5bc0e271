/** A page with a table: heading, tabs, toolbar, rows and pager. The caller provides the records and totals of a resource or of tickets. */
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { type CellContext, makeRow } from '@/app/_components/cells'
import { ColumnsButton } from '@/app/_components/columns'
import { CopyRequest } from '@/app/_components/copy-request'
import { DensityChoice } from '@/app/_components/density-choice'
import { describeFilters } from '@/app/_components/describe-filter'
import type { Filter } from '@/app/_components/filter'
import { FirstPageLink } from '@/app/_components/first-page-link'
import { Icon } from '@/app/_components/icon'
import { Link } from '@/app/_components/link'
import { Menu } from '@/app/_components/menu'
import { NewRecords } from '@/app/_components/new-records'
import { Notice } from '@/app/_components/notice'
import { Pager } from '@/app/_components/pager'
import { DENSITY_COOKIE, toDensity } from '@/app/_components/preferences'
import { RecordsTable } from '@/app/_components/records-table'
import { Selection } from '@/app/_components/selection'
import { StatusTabs } from '@/app/_components/status-tabs'
import { Toolbar } from '@/app/_components/toolbar'
import { NO_CURSOR, withParams } from '@/app/_components/with-params'
import { copyButtonCopy } from '@/app/copy/copy-button'
import { listCopy } from '@/app/copy/list'
import { savedViewsCopy } from '@/app/copy/saved-views'
import { firstPageHref } from '@/app/load-list'
import type { ShownColumns, TableName } from '@/lib/accounts/preferences'
import { mayDelete, type SavedView, toViewQuery } from '@/lib/accounts/saved-views'
import type { SessionUser } from '@/lib/accounts/sessions'
import type { Column } from '@/lib/catalog/columns'
import { SaveView } from './_views/save-view'
import { buildListQueryString, hasFilters } from './[id]/list-query'
import { buildExportPath } from './api-calls'
import { EmptyTable } from './empty-table'
import { type ExportChoice, ExportMenu } from './export-menu'
import { getHeaderSort, listSorts, makePeriodTabs, type TableSort } from './table-view'

type Props = {
  name: TableName
  label: { one: string; many: string }
  user: SessionUser
  query: URLSearchParams
  views: SavedView[]
  /** The visibility of the columns that the user has shown or hidden. */
  shownColumns: ShownColumns
  columns: readonly Column[]
  /** The page's records, parsed. */
  records: Record<string, unknown>[]
  total: number
  hasPrevious: boolean
  hasNext: boolean
  /** The sort order, and the cursor: the ID of the record directly before or after the page. */
  table: TableSort & { cursor?: string | undefined }
  /** The currency to sort amounts in if the view is not filtered by currency. */
  currency?: string | undefined
  search: string | undefined
  context: CellContext
  /** The tabs next to the heading, if the table has any. */
  tabs: ReactNode
  /** Whether to show links to periods next to the tabs. */
  hasPeriods: boolean
  /** The button next to the heading, such as the one that creates a record. */
  action?: ReactNode
  toolbar: ReactNode
  /** Whether the table can also be exported in a second layout: a summary or, for tickets, a guest list. */
  hasSummary: boolean
  /** The curl command that requests this view from the API, if the API supports it. */
  curl: string | undefined
  /** The position of the page in the list. */
  position: ReactNode
  /** A summary of the matching records, such as the sum of their amounts. */
  summary?: ReactNode
  /** A note about the records, above the table. */
  note?: ReactNode
  /** A link to the same search with another spelling, if no records match. */
  suggestion?: ReactNode
  /** Additional buttons shown if no records match. */
  emptyActions?: ReactNode
}

/**
 * Returns the visibility of each column: the user's choice, falling back to the catalog's default, which can depend on the status filter.
 */
const getColumnVisibility = (columns: readonly Column[], shownColumns: ShownColumns, status: string | null) =>
  Object.fromEntries(
    columns.map(({ key, hidden, shownFor }) => [
      key,
      shownColumns[key] ?? (status !== null && shownFor?.status === status ? shownFor.isShown : !hidden),
    ]),
  )

export async function TablePage(props: Props) {
  const { name, label, user, query, views, columns, records, total, context, tabs, table } = props
  const path = `/${name}`
  const key = query.toString()
  const [singular, plural] = [label.one.toLowerCase(), label.many.toLowerCase()]
  const [first, last] = [records[0], records.at(-1)]
  const viewQuery = toViewQuery(query)
  const isFiltered = hasFilters(query)
  const density = toDensity((await cookies()).get(DENSITY_COOKIE)?.value)
  const columnVisibility = getColumnVisibility(columns, props.shownColumns, query.get('status'))
  const isNewestFirst = table.sort === 'createdAt' && !table.isAscending
  const newer = first && table.cursor === undefined && isNewestFirst ? String(first.id) : undefined
  return (
    <>
      {/* On phones, the actions are next to the heading, and the tabs, the search and the filters each have their own line. */}
      <div className="mb-2 max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-2">
        <div className="mb-2 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 max-sm:contents min-[1360px]:flex-nowrap">
          <h1 className="font-semibold text-xl tracking-tight max-sm:grow">{label.many}</h1>
          <div className="min-w-0 empty:hidden max-sm:order-1 max-sm:basis-full">{tabs}</div>
          <div className="flex shrink-0 items-center gap-2 sm:ml-auto">
            {viewQuery ? (
              <SaveView
                key={viewQuery}
                resource={name}
                query={viewQuery}
                saved={views.find((view) => mayDelete(user, view) && view.resource === name && view.query === viewQuery)}
              />
            ) : (
              // Reserves the button's space, so that nothing moves when a filter is set. Narrower windows have no room to spare.
              <span className="button invisible max-xl:hidden">{savedViewsCopy.save}</span>
            )}
            {props.hasPeriods ? (
              <div className="mr-1 hidden min-[1360px]:block">
                <StatusTabs label={listCopy.quickPeriods} tabs={makePeriodTabs(path, query)} />
              </div>
            ) : null}
            {props.action}
          </div>
        </div>
        <div className="flex flex-wrap items-start gap-2 max-sm:contents lg:flex-nowrap">
          {props.toolbar}
          <div className="flex shrink-0 gap-2">
            <SortMenu sorts={listSorts(columns, path, query, table, props.currency)} />
            <ColumnsButton
              key={name}
              table={name}
              columns={columns
                .slice(1)
                .map(({ key: column, label: text }) => ({ key: column, label: text, shown: columnVisibility[column] === true }))}
            />
            {total > 0 ? (
              <ExportMenu
                label={listCopy.exportAll(total)}
                title={listCopy.exportHint(total, plural)}
                rows={total}
                choices={listExportChoices(name, query, props.hasSummary)}
              />
            ) : null}
            <Menu label={listCopy.moreActions} width="w-56" button={<Icon name="more" size={16} />}>
              <div className="*:flex">
                <CopyViewRequest command={props.curl} />
              </div>
              <DensityChoice density={density} />
            </Menu>
          </div>
        </div>
      </div>
      {props.note ? <div className="mb-2 min-h-5 text-sm">{props.note}</div> : null}
      {newer ? (
        <NewRecords
          key={`${key} ${newer}`}
          path={withParams(`${path}/newer`, query, { ...NO_CURSOR, ending_before: newer })}
          one={listCopy.newRecords(singular)}
          many={listCopy.newRecords(plural)}
        />
      ) : null}
      {first && last ? (
        <>
          <RecordsTable
            resource={name}
            suffix={buildListQueryString(query)}
            columns={columns}
            caption={label.many}
            visibility={columnVisibility}
            density={density}
            rows={records.map((record) => makeRow(record, columns, context))}
            getSort={(column) => getHeaderSort(column, path, query, table, props.currency)}
          />
          {/* The selection bar is above the pager, so that it covers neither the sums nor the links. */}
          <div className="bg-page max-lg:contents lg:sticky lg:bottom-0 lg:z-[2] print:static">
            <Selection key={key} exportPath={buildExportPath(name, query)} one={singular} many={plural} />
            <Pager
              path={path}
              query={query}
              titles={
                isNewestFirst
                  ? { previous: listCopy.newer(plural), next: listCopy.older(plural) }
                  : { previous: listCopy.previousPage, next: listCopy.nextPage }
              }
              previous={props.hasPrevious ? String(first.id) : undefined}
              next={props.hasNext ? String(last.id) : undefined}
              position={props.position}
              summary={props.summary}
            />
          </div>
        </>
      ) : total > 0 ? (
        <Notice title={listCopy.emptyPage(plural)} hint={listCopy.emptyPageHint(isFiltered)}>
          <FirstPageLink path={path} query={query} />
        </Notice>
      ) : isFiltered ? (
        <Notice
          title={listCopy.nothingMatches(plural, props.search)}
          hint={
            <>
              {listCopy.nothingMatchesHint(Boolean(props.search))} {props.suggestion}
            </>
          }
        >
          <Link className="button" href={path}>
            {listCopy.clear}
          </Link>
          {props.emptyActions}
        </Notice>
      ) : (
        <EmptyTable name={name} plural={plural} user={user} />
      )}
    </>
  )
}

/** Returns the table's export layouts. */
function listExportChoices(name: TableName, query: URLSearchParams, hasSummary: boolean): ExportChoice[] {
  const path = buildExportPath(name, query)
  const all = { href: path, text: listCopy.exportFields, hint: listCopy.exportFieldsHint }
  if (!hasSummary) return [all]
  const href = `${path}${path.includes('?') ? '&' : '?'}format=summary`
  const isTickets = name === 'tickets'
  const text = isTickets ? listCopy.exportGuests : listCopy.exportSummary
  return [all, { href, text, hint: isTickets ? listCopy.exportGuestsHint : listCopy.exportSummaryHint }]
}

/** The menu with the table's sort orders. Unlike the column headers, it includes those of hidden columns. */
const SortMenu = ({ sorts }: { sorts: ReturnType<typeof listSorts> }) => (
  <Menu
    width="w-56"
    title={listCopy.sort}
    button={
      <>
        <Icon name="sort" />
        <span className="max-sm:sr-only lg:max-2xl:sr-only">{listCopy.sort}</span>
      </>
    }
  >
    {sorts.map(({ link, label, isCurrent }) => (
      <Link key={label} {...link} scroll={false} aria-current={isCurrent ? 'true' : undefined} className="menu-row">
        <span className="flex w-4 shrink-0">{isCurrent ? <Icon name="check" /> : null}</span>
        {label}
      </Link>
    ))}
  </Menu>
)

/**
 * The button that copies the view's API request. If the API does not support the view, the button is disabled but stays
 * focusable, so that screen readers announce the reason.
 */
const CopyViewRequest = ({ command }: { command: string | undefined }) =>
  command ? (
    <CopyRequest command={command} className="menu-row" />
  ) : (
    <button type="button" aria-disabled className="menu-row cursor-default text-quiet">
      <Icon name="copy" />
      <span>
        {copyButtonCopy.request}
        <span className="block text-xs">{listCopy.curlUnavailable}</span>
      </span>
    </button>
  )

type ToolbarProps = { path: string; query: URLSearchParams; searchedMembers: string[]; filters: Filter[] }

/** @param searchedMembers the labels of the members that the table searches */
export const TableToolbar = ({ path, query, searchedMembers, filters }: ToolbarProps) => (
  <Toolbar
    path={path}
    copy={{ search: listCopy.search, hint: listCopy.searchHint(searchedMembers), members: listCopy.searchMembers(searchedMembers) }}
    filters={describeFilters(filters, query)}
  />
)

type InvalidProps = { path: string; query: URLSearchParams; hint: string; toolbar: ReactNode }

/** Reports an invalid link. Keeps the toolbar, so that the user can fix the filters. */
export const InvalidTableLink = ({ path, query, hint, toolbar }: InvalidProps) => (
  <>
    <div className="mb-2 flex flex-wrap gap-2">{toolbar}</div>
    <Notice title={listCopy.badLink} hint={hint}>
      <Link className="button" href={firstPageHref(path, query, hint)}>
        {listCopy.firstPage}
      </Link>
    </Notice>
  </>
)
