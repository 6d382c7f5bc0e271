/** Reports the results of fault tests. After a full run, `node scripts/fault-table.mjs` turns them into the table in docs/faults.md. */
import { appendFile } from 'node:fs/promises'

const RESULTS_FILE = 'e2e/faults/results.ndjson'

export type Figures = {
  /** The number of injections, or of requests or records that make up the fault. Absent if there is nothing to count. */
  faults?: number
  requests: number
  /** The number of acknowledged admissions. */
  admitted?: number
  /** The number of acknowledged admissions that were lost, plus the number of requests without a response. */
  lost: number
  /** A measured effect, such as `recovered after 300 ms`. */
  measured?: string
}

/** Prints the result of a fault test and, in a full run, appends it to the results file. @param more extra values that are only printed */
export async function report(fault: string, figures: Figures, more: Record<string, number | string> = {}): Promise<void> {
  process.stdout.write(`    ${fault}: ${JSON.stringify({ ...figures, ...more })}\n`)
  if (process.env.FAULTS === 'full') await appendFile(RESULTS_FILE, `${JSON.stringify({ fault, ...figures })}\n`)
}
