/** What a full run of the faults measured, a line each; `node scripts/survived.mjs` makes the README's table of them. */
import { appendFile } from 'node:fs/promises'

const FILE = 'e2e/faults/results.ndjson'

export type Figures = {
  /** How often something went wrong; absent where it is the requests themselves. */
  faults?: number
  requests: number
  /** Admissions that were acknowledged. */
  admitted?: number
  /** What was acknowledged and is not there, or was refused without a word. */
  lost: number
  /** What came of it in time: `back after 300 ms`. */
  measured?: string
}

/** @param more what is said on the terminal alone */
export async function report(fault: string, figures: Figures, more: Record<string, number | string> = {}): Promise<void> {
  process.stdout.write(`    ${fault}: ${JSON.stringify({ ...figures, ...more })}\n`)
  if (process.env.FAULTS === 'full') await appendFile(FILE, `${JSON.stringify({ fault, ...figures })}\n`)
}
