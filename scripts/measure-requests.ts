/**
 * Measures the request metrics in docs/architecture.md: the number of files with code that runs for a list and for a scan. Requires a
 * build. Run with `npx tsx scripts/measure-requests.ts`.
 */
import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from '@/server'
import { startPostgres } from '@/testing/postgres'
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'

const RUNS = 5
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const postgres = await startPostgres()
Object.assign(process.env, {
  DATABASE_URL: postgres.serverUrl,
  TEST_DATABASE_URL: postgres.url,
  DATA_DIR: postgres.folder,
  PORT: '0',
  LOG_LEVEL: 'silent',
})
const server = await startServer()
const session = new Session()
session.connect()

const seller = await makeSeller()
const { key } = await makeKey(seller)
const headers = { Authorization: `Bearer ${key}` }
await importLines(
  'payments',
  seller,
  Array.from({ length: 30 }, () => minimal('payments')),
)
await importLines(
  'tickets',
  seller,
  ['FIRST', ...Array.from({ length: RUNS }, (_, run) => `NEXT${run}`)].map((qrCode) => minimal('tickets', { qrCode })),
)

const list = () => fetch(`${server.url}/v1/payments?status=paid`, { headers })
const scan = (code: string) => fetch(`${server.url}/v1/tickets/validate/${code}`, { method: 'POST', headers })

/** Returns the project's files with functions that run during `work`, including in the background. All modules must already be loaded. */
async function listExecutedFiles(work: () => Promise<Response>): Promise<string[]> {
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  const response = await work()
  await response.text()
  if (!response.ok) throw new Error(`The request failed with status ${response.status}.`)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => (url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : url))
    .filter((file) => /^(app|lib|db|server|proxy)/.test(file))
    .sort()
}

/** Returns the files with code that runs in every run of `work`, which excludes code that only runs in the background. */
async function listAlwaysExecutedFiles(work: (run: number) => Promise<Response>): Promise<string[]> {
  let always: string[] | undefined
  for (let run = 0; run < RUNS; run += 1) {
    const files = new Set(await listExecutedFiles(() => work(run)))
    always = (always ?? [...files]).filter((file) => files.has(file))
  }
  return always ?? []
}

await list().then((response) => response.text())
await scan('FIRST').then((response) => response.text())
for (const [name, work] of [
  ['list', list],
  ['scan', (run: number) => scan(`NEXT${run}`)],
] as const) {
  const files = await listAlwaysExecutedFiles(work)
  process.stdout.write(
    `files that run for one ${name}: ${files.length}\n${process.argv.includes('--verbose') ? `  ${files.join('\n  ')}\n` : ''}`,
  )
}
session.disconnect()
await server.stop()
await postgres.remove()
process.exit(0)
