/** desk recount */
import { recountOccupancy } from '@/lib/admission/recount-occupancy'
import { recount as recountRecords } from '@/lib/listing/recount'
import { recountTexts } from '@/lib/listing/recount-texts'
import { recountSums } from '@/lib/reports/recount-sums'
import { type Command, printMessage, withDatabase } from '../command'

/** The statement timeout, in milliseconds. A statement can read every record of every seller. */
const STATEMENT_MS = 10 * 60_000

export const recount: Command = {
  name: 'recount',
  usage: '[--check]',
  summary:
    'Compares the stored totals, check-in counts and search texts with the data they are derived from, and corrects differences. Safe while the server is running.',
  details: ['--check   only report differences; the exit code is 2 if there are any'],
  options: { check: { type: 'boolean' } },
  arguments: [0, 0],
  async run(values) {
    const check = values.flag('check')
    const differences = await withDatabase(
      async () => [
        ...(await recountOccupancy(!check)),
        ...(await recountRecords(!check)),
        ...(await recountSums(!check)),
        ...(await recountTexts(!check)),
      ],
      { statementMs: STATEMENT_MS },
    )
    if (differences.length === 0) printMessage('No differences found.')
    else {
      const found = differences.length === 1 ? '1 difference' : `${differences.length} differences`
      printMessage(check ? `Found ${found}. Run \`desk recount\` without --check to repair the data.` : `Repaired ${found}.`)
    }
    return { output: { checked: true, repaired: !check, differences }, isPartial: check && differences.length > 0 }
  },
}
