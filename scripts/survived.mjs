/** Prints what the last full run of the faults survived, as the README's table: `node scripts/survived.mjs`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { give, root } from './bootstrap.mjs'

export const RESULTS = join(root, 'e2e', 'faults', 'results.ndjson')

/** @returns {Promise<string>} */
export async function survived() {
  const text = await readFile(RESULTS, 'utf8').catch(() => give('Nothing has been measured here yet: run `npm run test:faults`.'))
  // The last of each: a part may have been run again.
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

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await survived()}\n`)
