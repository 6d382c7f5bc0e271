/** What a full run measured, a row a fault, for the README's table. */
import { readFile, writeFile } from 'node:fs/promises'
import { isShort } from './world'

const FILE = new URL('./results.json', import.meta.url)

/** @param figures such as faults, requests, losses; milliseconds where the name ends so */
export async function report(fault: string, figures: Record<string, number | string>): Promise<void> {
  process.stdout.write(`    ${fault}: ${JSON.stringify(figures)}\n`)
  if (isShort) return
  const before = JSON.parse(await readFile(FILE, 'utf8').catch(() => '{}')) as Record<string, unknown>
  await writeFile(FILE, `${JSON.stringify({ ...before, [fault]: figures }, undefined, 2)}\n`)
}
