/** The table of a list, rendered on the server to keep 10 KB of script out of the browser. */
import { columnVisibilityFeature, constructTable, createColumnHelper, tableFeatures } from '@tanstack/react-table'
import { storeReactivityBindings } from '@tanstack/table-core/store-reactivity-bindings'
import Link from 'next/link'
import type { Column } from '@/lib/catalog/columns'
import type { Cell, TableRow } from './cells'
import { Rows } from './rows'
import { StatusMark } from './status-mark'

const features = tableFeatures({ coreReactivityFeature: storeReactivityBindings(), columnVisibilityFeature })
const helper = createColumnHelper<typeof features, TableRow>()

function CellContent({ cell }: { cell: Cell | undefined }) {
  if (!cell) return null
  if (cell.kind === 'status') return <StatusMark tone={cell.tone ?? 'idle'}>{cell.text}</StatusMark>
  const style = cell.kind === 'code' ? 'font-mono text-[0.8125rem]' : cell.kind === 'date' ? 'whitespace-nowrap text-quiet' : ''
  return (
    <span className={cell.title ? `relative z-[1] ${style}` : style} title={cell.title}>
      {cell.text}
    </span>
  )
}

const isNumeric = (kind: Column['kind'] | undefined) => kind === 'money' || kind === 'number' || kind === 'percent'

export function RecordsTable({
  resource,
  columns: declared,
  rows,
  caption,
  copy,
  shown,
}: {
  resource: string
  columns: readonly Column[]
  rows: TableRow[]
  caption: string
  copy: { test: string }
  /** The visibility of each column, by key. */
  shown: Record<string, boolean>
}) {
  const kinds = new Map(declared.map(({ key, kind }) => [key, kind]))
  const [first] = declared
  const table = constructTable({
    features,
    columns: declared.map(({ key, label }) => helper.accessor((row): unknown => row.cells[key], { id: key, header: label })),
    data: rows,
    getRowId: (row) => row.id,
    // The first column links to the record and is always shown.
    initialState: { columnVisibility: { ...shown, ...(first ? { [first.key]: true } : {}) } },
  })
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-card max-sm:border-0 max-sm:bg-transparent">
      <table className="w-full text-sm tabular-nums max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <th
                  key={header.id}
                  scope="col"
                  className={`border-line border-b px-4 py-2 font-medium text-quiet ${isNumeric(kinds.get(header.column.id)) ? 'text-right' : 'text-left'}`}
                >
                  {String(header.column.columnDef.header)}
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <Rows className="max-sm:flex max-sm:flex-col max-sm:gap-2">
          {table.getRowModel().rows.map((row) => (
            <tr
              key={row.id}
              className="group relative border-line border-b last:border-b-0 focus-within:bg-hover hover:bg-hover max-sm:grid max-sm:grid-cols-2 max-sm:gap-y-1 max-sm:rounded-lg max-sm:border max-sm:bg-card max-sm:p-3 max-sm:last:border-b"
            >
              {row.getVisibleCells().map((cell) => {
                const content = cell.getValue() as Cell | undefined
                const kind = kinds.get(cell.column.id)
                return (
                  <td
                    key={cell.id}
                    className={`px-4 py-2.5 max-sm:min-w-0 max-sm:truncate max-sm:p-0 ${isNumeric(kind) ? 'text-right' : ''} ${kind === 'email' ? 'max-sm:col-span-2' : ''}`}
                  >
                    {cell.column.id === first?.key ? (
                      <Link
                        data-row
                        href={`/${resource}/${row.id}`}
                        className="after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent"
                      >
                        <CellContent cell={content ?? { text: row.id, kind: 'code' }} />
                        {row.original.test ? (
                          <span className="ml-2 rounded border border-line px-1 text-quiet text-xs">{copy.test}</span>
                        ) : null}
                      </Link>
                    ) : (
                      <CellContent cell={content} />
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
