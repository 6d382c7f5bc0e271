/** Defines the import benchmarks, relative to a COPY of the same JSON into a table with only a primary key. */
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { launch } from '@/e2e/support/processes'
import { FOLDER } from './cluster'
import type { Context } from './context'
import { createEmpty, fill, sellerId } from './data'
import { alternate, type Benchmark, type Figure, rateFigure } from './figure'
import { paymentLine, shuffled } from './payment-text'

const IMPORTED = 100_000
/** The number of payments in benchmarks that compare two imports. */
const COMPARED = 30_000
/** The goal for the peak memory of an import, in MB. */
const MAX_MB = 300

/**
 * Writes the payments from `from` to `until` in random order to a file, unless the file already exists.
 *
 * @param derivesCustomers if false, the customer IDs are in a format from which no customers are derived
 * @returns the path of the file
 */
async function makeFile(total: number, from: number, until: number, derivesCustomers = true): Promise<string> {
  const file = join(FOLDER, `import-${total}-${from}-${until}${derivesCustomers ? '' : '-unnamed'}.ndjson`)
  if (await stat(file).catch(() => undefined)) return file
  function* lines() {
    let row = 0
    let text = ''
    for (const nth of shuffled(total)) {
      if (row >= until) break
      const line = row < from ? '' : paymentLine(sellerId(0), 0, nth)
      text += derivesCustomers ? line : line.replace('"customerId":"', '"customerId":"_')
      row += 1
      if (text.length < 1 << 20) continue
      yield text
      text = ''
    }
    yield text
  }
  await pipeline(Readable.from(lines()), createWriteStream(file))
  return file
}

/** The import rate in payments per second and the peak memory. */
type Run = { perSecond: number; megabytes: number }

/**
 * Runs an import (with or without events) or the reference in a separate process.
 *
 * @param truncates whether to delete existing records first
 */
async function run(mode: 'import' | 'events' | 'copy', url: string, file: string, truncates: boolean): Promise<Run> {
  const program = launch(['--import', 'tsx', 'bench/importing.ts', mode, url, file, truncates ? 'truncate' : 'keep'], {
    NODE_ENV: 'production',
  })
  const [, perSecond, megabytes] = await program.waitForOutput(/([\d.]+) per second, ([\d.]+) MB/)
  await program.ended
  return { perSecond: Number(perSecond), megabytes: Number(megabytes) }
}

function figures(name: string, ours: Run[], reference: Run[], min = 0.4): Figure[] {
  const rates = (runs: Run[]) => runs.map(({ perSecond }) => perSecond)
  const memory = ours.map(({ megabytes }) => megabytes)
  return [
    rateFigure(name, min, rates(ours), rates(reference)),
    { name: `${name}: memory`, goal: { atMost: MAX_MB }, value: Math.max(...memory), unit: 'MB', rounds: memory },
  ]
}

export const importBenchmark: Benchmark = {
  id: 'import',
  async measure(context: Context) {
    const url = await createEmpty(context.clusterUrl, 'bench_import')
    const amount = context.quick ? 30_000 : IMPORTED
    const file = await makeFile(amount, 0, amount)
    const [ours, reference] = await alternate(
      context,
      () => run('import', url, file, true),
      () => run('copy', url, file, true),
    )
    return figures(`import of ${amount.toLocaleString('en')} payments`, ours, reference)
  },
}

/** Creates a benchmark that compares two ways of importing the same payments. @param min the goal for the ratio of the rates */
const compareImports = (
  id: string,
  name: string,
  min: number,
  makeRuns: (url: string, amount: number) => Promise<[() => Promise<Run>, () => Promise<Run>]>,
): Benchmark => ({
  id,
  slow: true,
  async measure(context: Context) {
    const url = await createEmpty(context.clusterUrl, 'bench_import')
    const [ours, reference] = await alternate(context, ...(await makeRuns(url, COMPARED)))
    return figures(name, ours, reference, min).slice(0, 1)
  },
})

export const importEventsBenchmark = compareImports(
  'import-events',
  'import with events relative to one without',
  0.95,
  async (url, amount) => {
    const file = await makeFile(amount, 0, amount)
    return [() => run('events', url, file, true), () => run('import', url, file, true)]
  },
)

export const importCustomersBenchmark = compareImports(
  'import-customers',
  'import that derives customers relative to one that does not',
  0.9,
  async (url, amount) => {
    const [named, unnamed] = [await makeFile(amount, 0, amount), await makeFile(amount, 0, amount, false)]
    return [() => run('import', url, named, true), () => run('import', url, unnamed, true)]
  },
)

/** Imports the last tenth of the records, at most 100,000, into a table that already contains the rest. */
export const importGrowthBenchmark: Benchmark = {
  id: 'import-growth',
  slow: true,
  async measure({ clusterUrl, records }) {
    const added = Math.min(IMPORTED, Math.floor(records / 10))
    const url = await createEmpty(clusterUrl, 'bench_import')
    await fill(url, { name: 'bench_import', sellers: [records], order: 'random' }, () => {}, added)
    const file = await makeFile(records, records - added, records)
    const reference = await run('copy', url, file, true)
    return figures(
      `import of the last ${added.toLocaleString('en')} of ${records.toLocaleString('en')}`,
      [await run('import', url, file, false)],
      [reference],
    )
  },
}
