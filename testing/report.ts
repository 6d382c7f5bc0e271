/** Reports the results of fault tests. `node scripts/fault-table.mjs` converts those of a full run to the table in docs/faults.md. */
import { appendFile } from 'node:fs/promises'

const FILE = 'e2e/faults/results.ndjson'

export type Figures = {
  /** How often the fault was injected, or the number of requests or records of which it consists. Absent if there is nothing to count. */
  faults?: number
  requests: number
  /** The number of acknowledged admissions. */
  admitted?: number
  /** The number of acknowledged admissions that were lost, plus requests without a response. */
  lost: number
  /** A measured effect, such as `back after 300 ms`. */
  measured?: string
}

/** Prints the result of a fault test and, in a full run, appends it to the file. @param more additional values, which are only printed */
export async function report(fault: string, figures: Figures, more: Record<string, number | string> = {}): Promise<void> {
  process.stdout.write(`    ${fault}: ${JSON.stringify({ ...figures, ...more })}\n`)
  if (process.env.FAULTS === 'full') await appendFile(FILE, `${JSON.stringify({ fault, ...figures })}\n`)
}
