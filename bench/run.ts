/** npm run bench: runs the benchmarks, prints and stores the results, and exits with code 1 if a goal is missed. */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { build } from '../scripts/bootstrap.mjs'
import { benchmarks, SINGLE_TABLE_BENCHMARKS } from './benchmarks'
import { compareSizes } from './compare-sizes'
import { type Context, open } from './context'
import type { Benchmark, Figure } from './figure'
import { isPageFigure } from './pages'
import { explain } from './plans'
import { describeMachine, formatTable, isMet, measureNoise, writeResults } from './report'

const HELP = `npm run bench -- [--quick] [--records N] [--single-table] [--only NAME]… [--rounds N] [--seconds N]

  --quick         use 100,000 records and two rounds of one second, and skip the slow benchmarks; takes about three minutes
  --records N     number of payments of the main seller (default 1000000). The large table contains five times as many payments, or twice
                  as many with --quick
  --single-table  use one table without other large sellers and with payments of a third of the usual length, and run only the benchmarks
                  that could depend on the number of payments. Compares the runs with the fewest and the most payments
  --only NAME     run only this benchmark; can be repeated. With --single-table, updates only its figures in the comparison.
                  Names: ${benchmarks.map(({ id }) => id).join(', ')}
  --rounds N      number of rounds, each of which measures the product and the reference (default 5)
  --seconds N     duration of each load test in seconds (default 4)

A run without --quick, --only or --single-table writes all results to docs/performance.md. With --quick or --only, the results are only
printed, except for those of the dashboard's pages (benchmark 'pages'), which are always written.
`

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    records: { type: 'string' },
    'single-table': { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

/** Describes how the figures for the dashboard's pages are measured. */
const PAGES_METHOD = 'With the sample shop. Times are medians of 20 runs (5 for the first paint).'

const log = (text: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`)

/** Runs a benchmark. Reports a failure as a missed goal, so that the other results of a long run are not lost. */
async function runBenchmark(benchmark: Benchmark, context: Context | undefined): Promise<Figure[]> {
  try {
    return benchmark.isIndependent ? await benchmark.measure() : context ? await benchmark.measure(context) : []
  } catch (error) {
    return [
      { name: benchmark.id, goal: { atMost: 0 }, value: Number.NaN, unit: 'ms', rounds: [], ours: `failed: ${(error as Error).message}` },
    ]
  }
}

/** Runs benchmarks, printing the figures of each as soon as it is done. */
async function measure(chosen: Benchmark[], context: Context | undefined): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const benchmark of chosen) {
    log(benchmark.id)
    const measured = await runBenchmark(benchmark, context)
    figures.push(...measured)
    process.stderr.write(`${formatTable(measured).split('\n').slice(1).join('\n')}\n`)
  }
  return figures
}

async function main(): Promise<number> {
  const { only } = values
  const unknown = only.filter((id) => !benchmarks.some((benchmark) => benchmark.id === id))
  if (values.help || unknown.length > 0) {
    process.stdout.write(unknown.length > 0 ? `Unknown benchmark: ${unknown.join(', ')}.\n\n${HELP}` : HELP)
    return unknown.length > 0 ? 1 : 0
  }
  const { quick, 'single-table': singleTable } = values
  // Build first, so that a build error does not surface only after minutes of generating records.
  await build()
  const before = describeMachine()
  const isChosen = ({ id, slow }: Benchmark) =>
    only.length > 0 ? only.includes(id) : singleTable ? SINGLE_TABLE_BENCHMARKS.includes(id) : !(slow && quick)
  const chosen = benchmarks.filter(isChosen)
  const settings = {
    quick,
    singleTable,
    withTickets: chosen.some(({ id }) => id.startsWith('door')),
    records: Number(values.records ?? (quick ? 100_000 : 1_000_000)),
    rounds: Number(values.rounds ?? (quick ? 2 : 5)),
    seconds: Number(values.seconds ?? (quick ? 1 : 4)),
  }
  const context = chosen.every(({ isIndependent }) => isIndependent) ? undefined : await open(settings, log)
  try {
    const figures = await measure(chosen, context)
    const goals = figures.filter(({ goal }) => goal)
    const missed = goals.filter((figure) => !isMet(figure))
    const after = describeMachine()
    const noise = measureNoise(figures)
    const machine = `${before.cores} × ${before.cpu}, ${before.memoryGiB} GiB, ${before.system}, Node ${before.node}; load ${before.load.toFixed(2)} before, ${after.load.toFixed(2)} after`
    // Without a reference, there is no noise to report.
    const spread = Number.isNaN(noise) ? '' : `The reference measurements varied by ${Math.round(noise * 100)}% between rounds (median). `
    const size = context
      ? `${settings.records.toLocaleString('en')} records, in random order unless stated otherwise, ${settings.rounds} rounds of ${settings.seconds} s.`
      : PAGES_METHOD
    process.stdout.write(
      `\n${formatTable(figures)}\n\n${machine}\n${spread}${size}\n${goals.length - missed.length} of ${goals.length} goals met.\n`,
    )
    const measured = `Measured on ${new Date().toISOString().slice(0, 10)} on ${machine}.`
    const pages = figures.filter(isPageFigure)
    if (pages.length > 0) writeResults(pages, `${measured} ${PAGES_METHOD}`, 'pages')
    if (singleTable) await compareSizes({ records: settings.records, summary: `${measured} ${spread}${size}`, figures }, only.length > 0)
    if (context && only.length === 0 && !quick && !singleTable) {
      writeResults(
        figures.filter((figure) => !isPageFigure(figure)),
        `${measured} ${spread}${size}`,
        'all',
      )
      await writeFile('bench/plans.txt', await explain(context))
      const results = {
        at: new Date().toISOString(),
        machine: before,
        after,
        noise,
        settings,
        figures: figures.map((figure) => ({ ...figure, met: isMet(figure) })),
      }
      await writeFile('bench/results.json', `${JSON.stringify(results, null, 1)}\n`)
    }
    return missed.length === 0 ? 0 : 1
  } finally {
    await context?.close()
  }
}

// Both the product and the reference run in production mode.
Object.assign(process.env, { NODE_ENV: 'production' })
process.exit(await main())
