/** Records the results of a full fault run, one line each; `node scripts/survived.mjs` turns them into the table of docs/faults.md. */
import { appendFile } from 'node:fs/promises'

const FILE = 'e2e/faults/results.ndjson'

export type Figures = {
  /** How many faults were injected; absent if the requests themselves are the fault. */
  faults?: number
  requests: number
  /** Admissions that were acknowledged. */
  admitted?: number
  /** Admissions that were acknowledged and lost, and requests that were never answered. */
  lost: number
  /** A measured effect, such as `back after 300 ms`. */
  measured?: string
}

/** Reports the result of a fault test. @param more figures that are only printed */
export async function report(fault: string, figures: Figures, more: Record<string, number | string> = {}): Promise<void> {
  process.stdout.write(`    ${fault}: ${JSON.stringify({ ...figures, ...more })}\n`)
  if (process.env.FAULTS === 'full') await appendFile(FILE, `${JSON.stringify({ fault, ...figures })}\n`)
}
