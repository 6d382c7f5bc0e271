/** desk recount */
import { recountInside } from '@/lib/admission/recount-inside'
import { recount as recountRecords } from '@/lib/listing/recount'
import { recountTexts } from '@/lib/listing/recount-texts'
import { recountSums } from '@/lib/reports/recount-sums'
import { type Command, say, withDatabase } from '../command'

/** The timeout of the statement that counts every record of every seller. */
const STATEMENT_MS = 10 * 60_000

export const recount: Command = {
  name: 'recount',
  usage: '[--check]',
  summary:
    'Checks the stored totals of lists, overview and check-in, and the searched texts, against the records, and repairs differences. Safe while the server runs.',
  details: ['--check   only check; exit code 2 if a total is wrong'],
  options: { check: { type: 'boolean' } },
  arguments: [0, 0],
  async run(values) {
    const check = values.flag('check')
    const differences = await withDatabase(
      async () => [
        ...(await recountInside(!check)),
        ...(await recountRecords(!check)),
        ...(await recountSums(!check)),
        ...(await recountTexts(!check)),
      ],
      STATEMENT_MS,
    )
    if (differences.length === 0) say('All totals are correct.')
    else {
      const were = differences.length === 1 ? '1 total was wrong' : `${differences.length} totals were wrong`
      say(check ? `${were}. Run \`desk recount\` without --check to repair.` : `${were} and repaired.`)
    }
    return { output: { checked: true, repaired: !check, differences }, partly: check && differences.length > 0 }
  },
}
