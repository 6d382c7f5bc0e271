/** npm run bench: measures every row, prints a table, writes the results, and exits with code 1 if a goal is missed. */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { compareSizes } from './compare-sizes'
import { type Context, open } from './context'
import type { Figure, Row } from './figure'
import { isOfPages } from './pages'
import { explain } from './plans'
import { describeMachine, isMet, measureNoise, table, writeResults } from './report'
import { ROWS_ALONE, rows } from './rows'

const HELP = `npm run bench -- [--quick] [--records N] [--alone] [--only ROW]… [--rounds N] [--seconds N]

  --quick       100,000 records, two rounds of one second, and no slow rows: about three minutes. Writes only the results for pages
  --records N   records of the measured seller (default 1000000); the large table has five times as many
  --alone       one table without other sellers' fillers, records a third as long, and only the rows that could depend on the number of
                records. Writes a comparison of the smallest and the largest size
  --only ROW    measure only this row; repeatable. Writes only the results for pages. With --alone, also updates the row in the comparison.
                Rows: ${rows.map(({ id }) => id).join(', ')}
  --rounds N    rounds, each of the product and its reference (default 5)
  --seconds N   seconds of load on each side of a round (default 4)
`

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    records: { type: 'string' },
    alone: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const say = (text: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`)

/** Measures a row. A row that throws is reported as a missed goal, so that a half-hour run keeps its other results. */
async function measureRow(row: Row, context: Context | undefined): Promise<Figure[]> {
  try {
    return row.isIndependent ? await row.measure() : context ? await row.measure(context) : []
  } catch (error) {
    return [{ name: row.id, goal: { atMost: 0 }, value: Number.NaN, unit: 'ms', rounds: [], ours: `failed: ${(error as Error).message}` }]
  }
}

async function measure(chosen: Row[], context: Context | undefined): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const row of chosen) {
    say(row.id)
    const measured = await measureRow(row, context)
    figures.push(...measured)
    process.stderr.write(`${table(measured).split('\n').slice(1).join('\n')}\n`)
  }
  return figures
}

async function main(): Promise<number> {
  const { only } = values
  const unknown = only.filter((id) => !rows.some((row) => row.id === id))
  if (values.help || unknown.length > 0) {
    process.stdout.write(unknown.length > 0 ? `Unknown row: ${unknown.join(', ')}.\n\n${HELP}` : HELP)
    return unknown.length > 0 ? 1 : 0
  }
  const { quick, alone } = values
  const before = describeMachine()
  const isChosen = ({ id, slow }: Row) => (only.length > 0 ? only.includes(id) : alone ? ROWS_ALONE.includes(id) : !(slow && quick))
  const chosen = rows.filter(isChosen)
  const settings = {
    quick,
    alone,
    withTickets: chosen.some(({ id }) => id.startsWith('door')),
    records: Number(values.records ?? (quick ? 100_000 : 1_000_000)),
    rounds: Number(values.rounds ?? (quick ? 2 : 5)),
    seconds: Number(values.seconds ?? (quick ? 1 : 4)),
  }
  const context = chosen.every(({ isIndependent }) => isIndependent) ? undefined : await open(settings, say)
  try {
    const figures = await measure(chosen, context)
    const missed = figures.filter((figure) => !isMet(figure))
    const after = describeMachine()
    const noise = measureNoise(figures)
    const machine = `${before.cores} × ${before.cpu}, ${before.memoryGiB} GiB, ${before.system}, Node ${before.node}; load ${before.load.toFixed(2)} before, ${after.load.toFixed(2)} after`
    // Without a reference in any row, there is no noise to report.
    const spread = Number.isNaN(noise) ? '' : `The reference's rounds differed by ${Math.round(noise * 100)}%. `
    const size = context
      ? `${settings.records.toLocaleString('en')} records in random order, ${settings.rounds} rounds of ${settings.seconds} s.`
      : 'The sample shop, medians of 20 runs.'
    process.stdout.write(
      `\n${table(figures)}\n\n${machine}\n${spread}${size}\n${figures.length - missed.length} of ${figures.length} goals met.\n`,
    )
    const measured = `Measured on ${new Date().toISOString().slice(0, 10)} on ${machine}.`
    const pages = figures.filter(isOfPages)
    if (pages.length > 0) writeResults(pages, `${measured} The sample shop, medians of 20 runs.`, 'pages')
    if (alone) await compareSizes({ records: settings.records, summary: `${measured} ${spread}${size}`, figures }, only.length > 0)
    if (context && only.length === 0 && !quick && !alone) {
      writeResults(
        figures.filter((figure) => !isOfPages(figure)),
        `${measured} ${spread}${size}`,
        'rows',
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
