/** Formats the results and writes them to docs/performance.md with a description of the machine. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import type { Figure } from './figure'
import { median } from './load'

/** Returns whether a figure meets its goal, if it has one. */
export const isMet = ({ goal, value }: Figure) => !goal || ('atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost)

export const formatFixed = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2))

const formatGoal = ({ goal, unit }: Figure) =>
  !goal ? unit : 'atLeast' in goal ? `≥ ${formatFixed(goal.atLeast)} ${unit}` : `≤ ${formatFixed(goal.atMost)} ${unit}`

/** Returns the range of the values relative to their median. */
const spread = (values: number[]) => (Math.max(...values) - Math.min(...values)) / median(values)

/**
 * Returns how much the reference measurements vary between rounds, relative to their median. On an idle machine, this is a few
 * hundredths.
 */
export const measureNoise = (figures: Figure[]): number => {
  const spreads = figures.flatMap(({ referenceRounds }) => (referenceRounds && referenceRounds.length > 1 ? [spread(referenceRounds)] : []))
  return spreads.length > 0 ? median(spreads) : Number.NaN
}

/** Returns the fractions of CPU time since boot that were spent waiting for I/O and stolen by the hypervisor. */
function readCpuShares(): Record<string, number> {
  try {
    const [, user = 0, nice = 0, system = 0, idle = 0, wait = 0, , , stolen = 0] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '')
      .split(/\s+/)
      .map(Number)
    const all = user + nice + system + idle + wait + stolen
    return { waited: wait / all, stolen: stolen / all }
  } catch {
    return {}
  }
}

/** Returns the machine's hardware, operating system and current load, and the benchmarked commit. */
export function describeMachine() {
  const [first] = cpus()
  let commit = ''
  try {
    commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    // Not a git checkout.
  }
  return {
    cores: cpus().length,
    cpu: first?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    commit,
    load: loadavg()[0] ?? 0,
    ...readCpuShares(),
  }
}

export function formatTable(figures: Figure[]): string {
  const lines = figures.map((figure) => [
    isMet(figure) ? '✓' : '✗',
    figure.name,
    formatGoal(figure),
    formatFixed(figure.value),
    figure.rounds.length > 1 ? `${formatFixed(Math.min(...figure.rounds))}–${formatFixed(Math.max(...figure.rounds))}` : '',
    figure.ours ?? '',
    figure.reference ?? '',
  ])
  const all = [['', 'figure', 'goal', 'measured', 'rounds', 'product', 'reference'], ...lines]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? []
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const PAGE = 'docs/performance.md'
/** The HTML comments that delimit the generated sections. */
const MARKERS = {
  all: ['<!-- Written by npm run bench -->', '<!-- End -->'],
  pages: ['<!-- Written by npm run bench -- --only pages -->', '<!-- End of pages -->'],
  sizes: ['<!-- Written by npm run bench -- --single-table -->', '<!-- End of sizes -->'],
} as const

/** Replaces the text of a generated section in docs/performance.md. */
export function replaceSection(section: keyof typeof MARKERS, text: string): void {
  const [BEGIN, END] = MARKERS[section]
  const page = readFileSync(PAGE, 'utf8')
  const [before, rest] = page.split(BEGIN)
  const [, after] = rest?.split(END) ?? []
  if (before === undefined || after === undefined) throw new Error(`${PAGE} has no ${BEGIN} … ${END}.`)
  writeFileSync(PAGE, `${before}${BEGIN}\n${text}${END}${after}`)
}

/** Writes the results as a table to a section of docs/performance.md. */
export function writeResults(figures: Figure[], summary: string, section: 'all' | 'pages'): void {
  const lines = figures.map(
    (figure) =>
      `| ${figure.name} | ${formatGoal(figure)} | ${isMet(figure) ? formatFixed(figure.value) : `**${formatFixed(figure.value)}**`} | ${figure.ours ?? ''} | ${figure.reference ?? ''} |\n`,
  )
  replaceSection(section, `${summary}\n\n| | goal | measured | product | reference |\n|---|---|---:|---|---|\n${lines.join('')}`)
}
