/** The table of a list, rendered on the server to keep 10 KB of script out of the browser. */
import { columnVisibilityFeature, constructTable, createColumnHelper, tableFeatures } from '@tanstack/react-table'
import { storeReactivityBindings } from '@tanstack/table-core/store-reactivity-bindings'
import { listCopy } from '@/app/copy/list'
import type { Column } from '@/lib/catalog/columns'
import type { Cell, TableRow } from './cells'
import { getColumnWidth, selectWideOnly } from './column-widths'
import { Icon } from './icon'
import { Link } from './link'
import { Mark } from './mark'
import type { Density } from './preferences'
import { Rows } from './rows'
import { StatusBadge } from './status-badge'
import type { QueryLink } from './with-params'

const features = tableFeatures({ coreReactivityFeature: storeReactivityBindings(), columnVisibilityFeature })
const helper = createColumnHelper<typeof features, TableRow>()

/** The classes that position columns in the two lines of a row on a phone. */
const PHONE_CLASSES = { title: 'phone-title', side: 'phone-side', note: 'phone-note', mark: 'phone-mark' }

/** Joins class names, skipping empty ones. Avoids extra spaces, because the classes of every cell are sent to the browser. */
const joinClasses = (...names: (string | false | undefined)[]): string | undefined => names.filter(Boolean).join(' ') || undefined

function CellContent({ cell }: { cell: Cell | undefined }) {
  if (!cell) return null
  if (cell.kind === 'status') return <StatusBadge tone={cell.tone ?? 'neutral'}>{cell.text}</StatusBadge>
  const style = joinClasses(
    cell.title !== undefined && 'above-row-link',
    cell.kind === 'code' && 'font-mono text-[0.92em]',
    cell.kind === 'date' && 'whitespace-nowrap text-quiet',
  )
  if (!style && !cell.href && !cell.note && !cell.unit) return cell.text
  return (
    <span className={style} title={cell.title}>
      {cell.href ? (
        // On phones and tablets, where the whole row is one link, this link is only for screen readers.
        <Link
          href={cell.href}
          dir={cell.note && 'auto'}
          className={joinClasses('underline-offset-4 hover:underline max-lg:pointer-events-none', cell.note !== undefined && 'cell-name')}
        >
          {cell.text}
        </Link>
      ) : cell.note ? (
        <span dir="auto" className="cell-name">
          {cell.text}
        </span>
      ) : (
        cell.text
      )}
      {cell.unit ? <span className="sm:hidden">{` ${cell.unit}`}</span> : null}
      {cell.note ? <span className="ml-2 text-quiet max-lg:hidden">{cell.note}</span> : null}
    </span>
  )
}

const isNumeric = (kind: Column['kind'] | undefined) => kind === 'money' || kind === 'number' || kind === 'percent'

export type HeaderSort = { link: QueryLink; label: string; direction: 'ascending' | 'descending' | undefined }

type Props = {
  resource: string
  /** The query string of the row links, with its `?`, or an empty string. */
  suffix: string
  columns: readonly Column[]
  rows: TableRow[]
  caption: string
  /** The visibility of each column, by key. */
  visibility: Record<string, boolean>
  density: Density
  /** Returns the sort link of a column's header, or undefined if the table cannot be sorted by that column. */
  getSort: (column: Column) => HeaderSort | undefined
}

export function RecordsTable({ resource, suffix, columns: allColumns, rows, caption, visibility, density, getSort }: Props) {
  const byKey = new Map(allColumns.map((column) => [column.key, column]))
  const [first] = allColumns
  // If the first column is not shown on phones, the mark is on the second line of the row there.
  const hasPhoneTitle = first?.phone !== undefined
  const table = constructTable({
    features,
    columns: allColumns.map(({ key, label }) => helper.accessor((row): unknown => row.cells[key], { id: key, header: label })),
    data: rows,
    getRowId: (row) => row.id,
    // The first column links to the record and is always shown.
    initialState: { columnVisibility: { ...visibility, ...(first ? { [first.key]: true } : {}) } },
  })
  const visible = table.getVisibleLeafColumns().flatMap(({ id }) => byKey.get(id) ?? [])
  const isWide = visible.length > 8
  const wideOnly = selectWideOnly(visible)
  // Next to the sidebar, a window of 1024 px has as little room as a tablet.
  const getTabletClass = (key: string) => (wideOnly.has(key) ? 'sm:max-xl:hidden' : '')
  return (
    <div className={`rounded-lg border border-line bg-card ${isWide ? 'overflow-x-auto' : 'overflow-clip'}`}>
      <table className={`w-full table-fixed text-sm tabular-nums max-sm:block ${isWide ? 'sm:min-w-[80rem]' : ''}`}>
        <caption className="sr-only">{caption}</caption>
        <colgroup className="max-sm:hidden">
          <col className="w-9" />
          {visible.map((column) => (
            <col key={column.key} className={`${getColumnWidth(column)?.className ?? ''} ${getTabletClass(column.key)}`} />
          ))}
        </colgroup>
        <thead className={`select-head ${isWide ? '' : 'sm:sticky sm:top-0 sm:z-[2] sm:bg-card'}`}>
          <tr className="max-sm:block">
            <td className="relative border-line border-b max-sm:block max-sm:h-12">
              <label className="select-target">
                <input type="checkbox" data-select-all aria-label={listCopy.selectAll} />
                <span aria-hidden className="pl-6 text-quiet sm:hidden">
                  {listCopy.selectAll}
                </span>
              </label>
            </td>
            {visible.map((column) => (
              <Header key={column.key} column={column} sort={getSort(column)} className={getTabletClass(column.key)} />
            ))}
          </tr>
        </thead>
        <Rows path={`/${resource}`} suffix={suffix} className="max-sm:block">
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} className={joinClasses('record-row', density === 'compact' ? 'sm:h-9' : 'sm:h-11')}>
              <td className="select-cell">
                <label className="select-target">
                  <input
                    type="checkbox"
                    data-select={row.id}
                    data-email={row.original.email}
                    data-amount={row.original.sum?.amount}
                    data-due={row.original.sum?.due}
                    data-test={row.original.isTest}
                    data-currency={row.original.sum?.currency}
                    aria-label={listCopy.select(row.original.cells[first?.key ?? '']?.text ?? row.id)}
                  />
                </label>
              </td>
              {row.getVisibleCells().map((cell) => {
                const content = cell.getValue() as Cell | undefined
                const column = byKey.get(cell.column.id)
                const isFirst = cell.column.id === first?.key
                const phone = column?.phone ? PHONE_CLASSES[column.phone] : isFirst ? 'max-sm:contents' : 'max-sm:hidden'
                return (
                  <td
                    key={cell.id}
                    className={joinClasses(
                      'record-cell',
                      phone,
                      getTabletClass(cell.column.id),
                      isNumeric(column?.kind) && 'text-right',
                      column?.kind === 'money' && 'sm:wrap-anywhere sm:whitespace-normal',
                    )}
                  >
                    {isFirst ? (
                      <>
                        <Link
                          data-row={row.id}
                          href={`/${resource}/${row.id}${suffix}`}
                          className={joinClasses('row-link', !column?.phone && 'max-sm:absolute max-sm:inset-0 max-sm:text-[0px]')}
                        >
                          <CellContent cell={content ?? { text: row.id, kind: 'code' }} />
                        </Link>
                        <Mark text={row.original.mark} className={column?.phone ? 'ml-2' : 'ml-2 max-sm:hidden'} />
                      </>
                    ) : (
                      <>
                        {column?.phone === 'mark' && !hasPhoneTitle ? <Mark text={row.original.mark} className="mx-2 sm:hidden" /> : null}
                        <CellContent cell={content} />
                      </>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </Rows>
      </table>
    </div>
  )
}

type HeaderProps = { column: Column; sort: HeaderSort | undefined; className: string }

function Header({ column: { kind, label }, sort, className }: HeaderProps) {
  const style = `h-9 truncate border-line border-b px-3 font-medium text-quiet max-sm:sr-only ${isNumeric(kind) ? 'text-right' : 'text-left'} ${className}`
  if (!sort) {
    return (
      <th scope="col" className={style}>
        {label}
      </th>
    )
  }
  return (
    <th scope="col" aria-sort={sort.direction} className={style}>
      <Link
        {...sort.link}
        scroll={false}
        title={sort.label}
        className={`inline-flex items-center gap-1 hover:text-ink ${sort.direction ? 'text-ink' : ''}`}
      >
        {label}
        {sort.direction ? <Icon name={sort.direction === 'ascending' ? 'up' : 'down'} size={12} /> : null}
      </Link>
    </th>
  )
}
