/** Writes the results of the last full fault run to the table in docs/faults.md. Run with `node scripts/fault-table.mjs`. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exitWithMessage, root } from './bootstrap.mjs'

export const RESULTS = join(root, 'e2e', 'faults', 'results.ndjson')

/** @returns {Promise<string>} the results as a Markdown table */
async function readTable() {
  const text = await readFile(RESULTS, 'utf8').catch(() =>
    exitWithMessage('There are no results of a full run. Run `npm run suite -- faults` first.'),
  )
  // If a test ran more than once, its last result counts.
  const rows = new Map(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map((row) => [row.fault, row]),
  )
  const number = (value) => (value === undefined ? '' : value.toLocaleString('en'))
  const lines = [...rows.values()].map(
    ({ fault, faults, requests, admitted, lost, measured = '' }) =>
      `| ${fault} | ${number(faults)} | ${number(requests)} | ${number(admitted)} | ${number(lost)} | ${measured} |`,
  )
  return ['| fault | times | requests | admitted | lost | |', '|---|---:|---:|---:|---:|---|', ...lines].join('\n')
}

const DOC = join(root, 'docs', 'faults.md')
const TABLE = /(<!-- faults: .*? -->\n)[\s\S]*?(<!-- faults: end -->)/

/** Replaces the table between the markers in docs/faults.md. @returns {Promise<string>} the table */
export async function writeTable() {
  const [table, text] = await Promise.all([readTable(), readFile(DOC, 'utf8')])
  if (!TABLE.test(text)) exitWithMessage('docs/faults.md lacks the markers of its table. Add <!-- faults: … --> and <!-- faults: end -->.')
  await writeFile(
    DOC,
    text.replace(TABLE, (_, begin, end) => `${begin}${table}\n${end}`),
  )
  return table
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await writeTable()}\n`)
