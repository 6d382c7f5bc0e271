/** Compares the runs of `npm run bench -- --alone` with the fewest and the most records. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Figure } from './figure'
import { number, replaceSection } from './report'

/** How much a row may cost with the most records, relative to the fewest. */
const MAX_RATIO = 1.3
/** The last run of each size. */
const RUNS = 'bench/alone.json'

type Run = { records: number; summary: string; figures: Figure[] }

/** Returns how much more a row costs in the second run: of throughput, less is more expensive. */
function costRatio(few: Figure, many: Figure): number {
  return few.goal && 'atLeast' in few.goal ? few.value / many.value : many.value / few.value
}

/** Returns a figure's name without the number of records. */
const toKey = ({ name }: Figure) => name.replace(/[\d,]+ records/, 'records')

const cell = ({ value, unit, ours }: Figure) => `${number(value)} ${unit}${ours ? ` (${ours})` : ''}`

/** Stores a run, and writes the comparison to docs/performance.md if there are runs of two sizes. */
export async function compareSizes(run: Run): Promise<void> {
  const before = JSON.parse(await readFile(RUNS, 'utf8').catch(() => '[]')) as Run[]
  const runs = [...before.filter(({ records }) => records !== run.records), run].sort((a, b) => a.records - b.records)
  await writeFile(RUNS, `${JSON.stringify(runs, null, 1)}\n`)
  const [few, many] = [runs[0], runs.at(-1)]
  if (!few || !many || few === many) return
  const lines = many.figures.flatMap((figure) => {
    const other = few.figures.find((one) => toKey(one) === toKey(figure))
    // A figure without a goal is only reported.
    if (!other || !figure.goal) return []
    const ratio = costRatio(other, figure)
    const shown = ratio <= MAX_RATIO ? number(ratio) : `**${number(ratio)}**`
    return [`| ${figure.name} | ${cell(other)} | ${cell(figure)} | ${shown} |\n`]
  })
  const head = `| | ${few.records.toLocaleString('en')} | ${many.records.toLocaleString('en')} | cost, at most ${MAX_RATIO} |\n|---|---|---|---:|\n`
  replaceSection('sizes', `${few.summary}\n\n${many.summary}\n\n${head}${lines.join('')}`)
}
