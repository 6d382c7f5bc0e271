/** Compares the runs of `npm run bench -- --single-table` with the fewest and the most records. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Figure } from './figure'
import { formatFixed, replaceSection } from './report'

/** The maximum cost of a request in the largest run relative to the smallest. */
const MAX_RATIO = 1.3
/** Stores the latest run for each number of records. */
const RUNS_FILE = 'bench/single-table.json'

type Run = { records: number; summary: string; figures: Figure[] }

/** Returns the cost in the larger run relative to the smaller one. A lower throughput is a higher cost. */
function costRatio(smallest: Figure, largest: Figure): number {
  return smallest.goal && 'atLeast' in smallest.goal ? smallest.value / largest.value : largest.value / smallest.value
}

/** Returns a key for a figure that does not depend on the number of records. */
const toKey = ({ name }: Figure) => name.replace(/[\d,]+ records/, 'records')

const formatCell = ({ value, unit, ours }: Figure) => `${formatFixed(value)} ${unit}${ours ? ` (${ours})` : ''}`

/** Merges the new figures into the stored run. Drops the stored figures of failed benchmarks, whose value is null. */
function updateRun(stored: Run, { figures }: Run): Run {
  const updated = new Map(figures.map((figure) => [toKey(figure), figure]))
  const kept = stored.figures.filter((figure) => figure.value !== null).map((figure) => updated.get(toKey(figure)) ?? figure)
  const keptKeys = new Set(kept.map(toKey))
  return { ...stored, figures: [...kept, ...figures.filter((figure) => !keptKeys.has(toKey(figure)))] }
}

/**
 * Stores a run and, if there are runs with different numbers of records, writes the comparison to docs/performance.md.
 *
 * @param isPartial whether only some benchmarks ran; the stored figures of the others are kept
 */
export async function compareSizes(run: Run, isPartial: boolean): Promise<void> {
  const storedRuns = JSON.parse(await readFile(RUNS_FILE, 'utf8').catch(() => '[]')) as Run[]
  const stored = isPartial ? storedRuns.find(({ records }) => records === run.records) : undefined
  const current = stored ? updateRun(stored, run) : run
  const runs = [...storedRuns.filter(({ records }) => records !== run.records), current].sort((a, b) => a.records - b.records)
  await writeFile(RUNS_FILE, `${JSON.stringify(runs, null, 1)}\n`)
  const [smallest, largest] = [runs[0], runs.at(-1)]
  if (!smallest || !largest || smallest === largest) return
  const lines = largest.figures.flatMap((figure) => {
    const other = smallest.figures.find((candidate) => toKey(candidate) === toKey(figure))
    // Figures without a goal are not compared.
    if (!other || !figure.goal) return []
    const ratio = costRatio(other, figure)
    const ratioCell = ratio <= MAX_RATIO ? formatFixed(ratio) : `**${formatFixed(ratio)}**`
    return [`| ${figure.name} | ${formatCell(other)} | ${formatCell(figure)} | ${ratioCell} |\n`]
  })
  const head = `| | ${smallest.records.toLocaleString('en')} | ${largest.records.toLocaleString('en')} | relative cost, at most ${MAX_RATIO} |\n|---|---|---|---:|\n`
  replaceSection('sizes', `${smallest.summary}\n\n${largest.summary}\n\n${head}${lines.join('')}`)
}
