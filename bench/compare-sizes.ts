/** Compares two runs of `npm run bench -- --single-table`: the one with the fewest and the one with the most records. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Figure } from './figure'
import { number, replaceSection } from './report'

/** The maximum cost of a request with the most records, relative to its cost with the fewest. */
const MAX_RATIO = 1.3
/** The file with the last run for each number of records. */
const RUNS = 'bench/single-table.json'

type Run = { records: number; summary: string; figures: Figure[] }

/** Returns the cost in the second run relative to the first. A lower throughput is a higher cost. */
function costRatio(few: Figure, many: Figure): number {
  return few.goal && 'atLeast' in few.goal ? few.value / many.value : many.value / few.value
}

/** Returns a figure's name without the number of records. */
const toKey = ({ name }: Figure) => name.replace(/[\d,]+ records/, 'records')

/** Formats a figure for a cell of the table. */
const cell = ({ value, unit, ours }: Figure) => `${number(value)} ${unit}${ours ? ` (${ours})` : ''}`

/** Merges the new figures into the stored run, and drops stored figures of benchmarks that failed (their value is null). */
function updateRun(stored: Run, { figures }: Run): Run {
  const updated = new Map(figures.map((figure) => [toKey(figure), figure]))
  const kept = stored.figures.filter((figure) => figure.value !== null).map((figure) => updated.get(toKey(figure)) ?? figure)
  const keptKeys = new Set(kept.map(toKey))
  return { ...stored, figures: [...kept, ...figures.filter((figure) => !keptKeys.has(toKey(figure)))] }
}

/**
 * Stores a run, and writes the comparison to docs/performance.md if there are runs with different numbers of records.
 *
 * @param isPartial whether only some benchmarks were run; the figures of the others are kept
 */
export async function compareSizes(run: Run, isPartial: boolean): Promise<void> {
  const storedRuns = JSON.parse(await readFile(RUNS, 'utf8').catch(() => '[]')) as Run[]
  const stored = isPartial ? storedRuns.find(({ records }) => records === run.records) : undefined
  const current = stored ? updateRun(stored, run) : run
  const runs = [...storedRuns.filter(({ records }) => records !== run.records), current].sort((a, b) => a.records - b.records)
  await writeFile(RUNS, `${JSON.stringify(runs, null, 1)}\n`)
  const [few, many] = [runs[0], runs.at(-1)]
  if (!few || !many || few === many) return
  const lines = many.figures.flatMap((figure) => {
    const other = few.figures.find((candidate) => toKey(candidate) === toKey(figure))
    // A figure without a goal is only reported.
    if (!other || !figure.goal) return []
    const ratio = costRatio(other, figure)
    const ratioCell = ratio <= MAX_RATIO ? number(ratio) : `**${number(ratio)}**`
    return [`| ${figure.name} | ${cell(other)} | ${cell(figure)} | ${ratioCell} |\n`]
  })
  const head = `| | ${few.records.toLocaleString('en')} | ${many.records.toLocaleString('en')} | relative cost, at most ${MAX_RATIO} |\n|---|---|---|---:|\n`
  replaceSection('sizes', `${few.summary}\n\n${many.summary}\n\n${head}${lines.join('')}`)
}
