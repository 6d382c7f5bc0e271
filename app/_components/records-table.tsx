'use client'
/** The table of a list: rows come from the server; here they are walked by keyboard, and columns shown as they are chosen. */
import { columnVisibilityFeature, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table'
import Link from 'next/link'
import { useEffect, useMemo, useRef } from 'react'
import type { Column } from '@/lib/records/columns'
import type { Cell, TableRow } from './cells'
import { useColumns } from './columns'
import { StatusMark } from './status-mark'

const features = tableFeatures({ columnVisibilityFeature })
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

/**
 * `j` and `k` go down and up, Enter opens: the row's own link has the focus. The link lies over its row, below what tells more
 * to who points at it; a press on that counts as one on the link.
 */
function useRows() {
  const body = useRef<HTMLTableSectionElement>(null)
  useEffect(() => {
    const rows = body.current
    const onClick = ({ target, ctrlKey, metaKey, shiftKey }: MouseEvent) => {
      if (!(target instanceof Element) || target.closest('a') || window.getSelection()?.type === 'Range') return
      const link = target.closest('tr')?.querySelector('a[data-row]')
      link?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }))
    }
    rows?.addEventListener('click', onClick)
    return () => rows?.removeEventListener('click', onClick)
  }, [])
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.metaKey || event.ctrlKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return
      if (event.key !== 'j' && event.key !== 'k') return
      const links = [...(body.current?.querySelectorAll<HTMLAnchorElement>('a[data-row]') ?? [])]
      const at = links.indexOf(document.activeElement as HTMLAnchorElement)
      const next = event.key === 'j' ? Math.min(at + 1, links.length - 1) : Math.max(at - 1, 0)
      links[next]?.focus()
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return body
}

export function RecordsTable({
  resource,
  columns: declared,
  rows,
  caption,
  words,
}: {
  resource: string
  columns: readonly Column[]
  rows: TableRow[]
  caption: string
  /** Handed over, for the whole dictionary need not cross to the browser. */
  words: { test: string }
}) {
  const kinds = useMemo(() => new Map(declared.map(({ key, kind }) => [key, kind])), [declared])
  const columns = useMemo(
    () => declared.map(({ key, label }) => helper.accessor((row): unknown => row.cells[key], { id: key, header: label })),
    [declared],
  )
  const { shown } = useColumns()
  const [first] = declared
  // The first column opens the record: it always stands.
  const columnVisibility = useMemo(() => ({ ...shown, ...(first ? { [first.key]: true } : {}) }), [shown, first])
  const table = useTable({ features, columns, data: rows, getRowId: (row) => row.id, state: { columnVisibility } })
  const body = useRows()
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
        <tbody ref={body} className="max-sm:flex max-sm:flex-col max-sm:gap-2">
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
                          <span className="ml-2 rounded border border-line px-1 text-quiet text-xs">{words.test}</span>
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
        </tbody>
      </table>
    </div>
  )
}
