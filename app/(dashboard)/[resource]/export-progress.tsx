'use client'
/** Shows the progress of long exports, each with a cancel button. Exports continue while the user visits other pages of the dashboard. */
import { useEffect, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { showToast } from '@/app/_components/toast'
import { exportCopy as copy } from '@/app/copy/export'
import { formatCount } from '@/app/copy/format'
import { createRowCounter } from './row-counter'

const UPDATE_INTERVAL_MS = 200
/** Received bytes are appended to the file in chunks of about this size, so that the browser can move them to disk. */
const CHUNK_BYTES = 8 * 1024 * 1024

const parseFileName = (response: Response) =>
  /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'export.csv'

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  // The download must start before the URL is revoked.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/**
 * Downloads a file and saves it. Returns its number of rows.
 *
 * @param onRows called with the number of rows received so far, at most once per `UPDATE_INTERVAL_MS`
 * @throws {Error} if the file is not received completely
 */
async function download(href: string, signal: AbortSignal, onRows: (rows: number) => void): Promise<number> {
  const response = await fetch(href, { signal })
  if (!response.ok || !response.body) throw new Error(`The export failed with status ${response.status}.`)
  let file = new Blob([], { type: 'text/csv' })
  let parts: Uint8Array<ArrayBuffer>[] = []
  let [bytes, updatedAt] = [0, 0]
  const count = createRowCounter()
  const reader = response.body.getReader()
  let rows = 0
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    if (!value) continue
    rows = count(value)
    parts.push(value)
    bytes += value.length
    if (bytes > CHUNK_BYTES) {
      file = new Blob([file, ...parts], { type: file.type })
      parts = []
      bytes = 0
    }
    if (performance.now() - updatedAt < UPDATE_INTERVAL_MS) continue
    updatedAt = performance.now()
    onRows(rows)
  }
  save(new Blob([file, ...parts], { type: file.type }), parseFileName(response))
  return rows
}

/** `total` is the expected number of rows. */
type RunningExport = { href: string; total: number }

function Progress({ href, total }: RunningExport) {
  const [rows, setRows] = useState(0)
  const [abort] = useState(() => new AbortController())
  useEffect(() => {
    download(href, abort.signal, setRows)
      .then((saved) => showToast({ text: copy.exported(formatCount(saved)) }))
      .catch(() => showToast({ text: abort.signal.aborted ? copy.canceled : copy.failed }))
      .finally(() => setRunningExports(runningExports.filter((other) => other.href !== href)))
  }, [href, abort])
  return (
    <section aria-label={copy.label} className="flex items-center gap-3 rounded-lg border border-line bg-card p-3 text-sm shadow-lg">
      <div className="min-w-0 grow">
        <p className="tabular-nums">{copy.running(formatCount(Math.min(rows, total)), formatCount(total))}</p>
        <progress aria-label={copy.label} value={rows} max={total} className="mt-1 h-1.5 w-full accent-accent" />
      </div>
      <button type="button" className="button h-8" onClick={() => abort.abort()}>
        {copy.cancel}
      </button>
    </section>
  )
}

let runningExports: RunningExport[] = []
let root: Root | undefined

/** Sets the running exports. Renders them in a separate root, so that they survive navigations. */
function setRunningExports(next: RunningExport[]) {
  runningExports = next
  if (!root) {
    const container = document.createElement('div')
    container.className = 'fixed right-4 bottom-20 z-30 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 print:hidden'
    document.body.append(container)
    root = createRoot(container)
  }
  root.render(runningExports.map((item) => <Progress key={item.href} {...item} />))
}

/** Starts an export, unless it is already running. @param total the expected number of rows */
export function startExport(href: string, total: number): void {
  if (runningExports.every((other) => other.href !== href)) setRunningExports([...runningExports, { href, total }])
}
