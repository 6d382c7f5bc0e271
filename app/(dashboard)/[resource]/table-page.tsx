/** The page of a table: heading, tabs, toolbar, rows and pager. The records and the figures are those of its resource, or the tickets. */
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { type CellContext, makeRow } from '@/app/_components/cells'
import { ColumnsButton } from '@/app/_components/columns'
import { CopyButton } from '@/app/_components/copy-button'
import { DENSITY_COOKIE, toDensity } from '@/app/_components/density'
import { DensityChoice } from '@/app/_components/density-choice'
import { Icon } from '@/app/_components/icon'
import { Link } from '@/app/_components/link'
import { NewRecords } from '@/app/_components/new-records'
import { Notice } from '@/app/_components/notice'
import { Pager } from '@/app/_components/pager'
import { type HeaderSort, RecordsTable } from '@/app/_components/records-table'
import { SelectionBar } from '@/app/_components/selection-bar'
import { StatusTabs } from '@/app/_components/status-tabs'
import { NO_CURSOR, withParams } from '@/app/_components/with-params'
import { listCopy, selectionCopy } from '@/app/copy/list'
import type { ShownColumns, TableName } from '@/lib/accounts/preferences'
import { mayUse } from '@/lib/accounts/roles'
import { mayDelete, type SavedView, toViewQuery } from '@/lib/accounts/saved-views'
import type { SessionUser } from '@/lib/accounts/sessions'
import type { Column } from '@/lib/catalog/columns'
import { SaveView } from './_views/save-view'
import { listSuffix } from './[id]/list-query'
import { exportPath } from './calls'
import { type ExportChoice, ExportMenu } from './export-menu'
import { quickPeriods } from './table-view'

type Props = {
  name: TableName
  label: { one: string; many: string }
  user: SessionUser
  query: URLSearchParams
  views: SavedView[]
  /** The columns that the user has shown or hidden. */
  chosen: ShownColumns
  columns: readonly Column[]
  /** The page's records, parsed. */
  records: Record<string, unknown>[]
  total: number
  hasPrevious: boolean
  hasNext: boolean
  /** Whether the first page is shown, and whether the newest records are first. */
  isFirstPage: boolean
  isByDate: boolean
  isFiltered: boolean
  search: string | undefined
  context: CellContext
  tabs: ReactNode
  /** Whether periods are shown next to the tabs. */
  hasPeriods: boolean
  /** The button that creates a record. */
  create?: ReactNode
  toolbar: ReactNode
  hasSummary: boolean
  /** The API request of the view, if the API can express it. */
  curl: string | undefined
  sortOf: (column: Column) => HeaderSort | undefined
  position: ReactNode
  summary?: ReactNode
  /** More buttons if nothing matches. */
  elsewhere?: ReactNode
}

/** Returns the visibility of each column: the user's choice, otherwise the catalog's default. */
const visibleColumns = (columns: readonly Column[], chosen: ShownColumns) =>
  Object.fromEntries(columns.map(({ key, hidden }) => [key, chosen[key] ?? !hidden]))

export async function TablePage(props: Props) {
  const { name, label, user, query, views, columns, records, total, context, tabs, isFiltered } = props
  const here = `/${name}`
  const key = query.toString()
  const [one, what] = [label.one.toLowerCase(), label.many.toLowerCase()]
  const [first, last] = [records[0], records.at(-1)]
  const viewQuery = toViewQuery(query)
  const density = toDensity((await cookies()).get(DENSITY_COOKIE)?.value)
  const shown = visibleColumns(columns, props.chosen)
  const newer = first && props.isFirstPage && props.isByDate ? String(first.id) : undefined
  return (
    <>
      <div className="mb-2 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1">
        <h1 className="font-semibold text-xl tracking-tight">{label.many}</h1>
        {tabs}
        <div className="ml-auto flex items-center gap-2">
          {props.hasPeriods ? (
            <div className="hidden min-[1360px]:block">
              <StatusTabs label={listCopy.quickPeriods} tabs={quickPeriods(here, query)} />
            </div>
          ) : null}
          {props.create}
        </div>
      </div>
      <div className="mb-2 flex flex-wrap items-start gap-2 lg:flex-nowrap">
        {props.toolbar}
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
            table={name}
            columns={columns.slice(1).map(({ key: column, label: text }) => ({ key: column, label: text, shown: shown[column] === true }))}
            copy={{ columns: listCopy.columns, notSaved: listCopy.columnsNotSaved }}
          />
          {total > 0 ? (
            <ExportMenu
              label={listCopy.exportAll(total)}
              title={listCopy.exportHint(total, what)}
              rows={total}
              choices={exportChoices(name, query, props.hasSummary)}
            />
          ) : null}
          <CopyViewRequest command={props.curl} />
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
      {first && last ? (
        <>
          <RecordsTable
            resource={name}
            suffix={listSuffix(query)}
            columns={columns}
            caption={label.many}
            shown={shown}
            density={density}
            rows={records.map((record) => makeRow(record, columns, context))}
            sortOf={props.sortOf}
            isSelectable
          />
          <Pager
            path={here}
            query={query}
            titles={
              props.isByDate
                ? { previous: listCopy.newer(what), next: listCopy.older(what) }
                : { previous: listCopy.previousPage, next: listCopy.nextPage }
            }
            newer={props.hasPrevious ? String(first.id) : undefined}
            older={props.hasNext ? String(last.id) : undefined}
            position={props.position}
            summary={props.summary}
          />
          <SelectionBar key={key} exportPath={exportPath(name, query)} copy={selectionCopy} />
        </>
      ) : (
        <Notice
          title={isFiltered ? listCopy.nothingMatches(what, props.search) : listCopy.nothingYet(what)}
          hint={isFiltered ? listCopy.nothingMatchesHint : listCopy.nothingYetHint(what)}
        >
          {isFiltered ? (
            <Link className="button" href={here}>
              {listCopy.clear}
            </Link>
          ) : mayUse(user.role, 'settings') ? (
            <>
              <Link className="button-primary" href="/settings/stripe">
                {listCopy.connectStripe}
              </Link>
              <ImportCommand table={name} sellerId={user.sellerId} />
            </>
          ) : null}
          {props.elsewhere}
        </Notice>
      )}
    </>
  )
}

/** Returns the layouts of the file that the table can be exported in. */
function exportChoices(name: TableName, query: URLSearchParams, hasSummary: boolean): ExportChoice[] {
  const path = exportPath(name, query)
  const all = { href: path, text: listCopy.exportFields, hint: listCopy.exportFieldsHint }
  if (!hasSummary) return [all]
  const href = `${path}${path.includes('?') ? '&' : '?'}format=summary`
  const isTickets = name === 'tickets'
  const text = isTickets ? listCopy.exportGuests : listCopy.exportSummary
  return [all, { href, text, hint: isTickets ? listCopy.exportGuestsHint : listCopy.exportSummaryHint }]
}

/** The command with which the server's administrator imports a file, behind a button. */
function ImportCommand({ table, sellerId }: { table: TableName; sellerId: string }) {
  const command = `npm run -s desk -- import ${table} ${table}.ndjson --seller ${sellerId}`
  return (
    <details className="relative">
      <summary className="button cursor-pointer list-none">{listCopy.importFile}</summary>
      <div className="absolute top-11 right-0 z-10 w-80 rounded-lg border border-line bg-card p-3 text-left text-sm shadow-lg">
        <p className="text-quiet">{listCopy.importHint}</p>
        <p className="mt-2 flex items-start gap-1">
          <code className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{command}</code>
          <CopyButton text={command} what={listCopy.importCommand} />
        </p>
      </div>
    </details>
  )
}

/** A view that the API cannot express has a button that says why, which is focusable, so that it is also read out. */
const CopyViewRequest = ({ command }: { command: string | undefined }) =>
  command ? (
    <CopyButton text={command} what={listCopy.curlWhat} className="button px-2.5 max-sm:hidden" />
  ) : (
    <button
      type="button"
      aria-disabled
      aria-label={`${listCopy.curl}. ${listCopy.curlUnavailable}`}
      title={listCopy.curlUnavailable}
      className="button cursor-default px-2.5 opacity-50 max-sm:hidden"
    >
      <Icon name="copy" />
    </button>
  )

/** What is shown for a link that is not valid. The toolbar stays, so that the filters can be corrected. */
export const BadLink = ({ path, hint, toolbar }: { path: string; hint: string | undefined; toolbar: ReactNode }) => (
  <>
    {toolbar}
    <Notice title={listCopy.badLink} hint={hint ?? ''}>
      <Link className="button" href={path}>
        {listCopy.firstPage}
      </Link>
    </Notice>
  </>
)
