/** desk recount */
import { recount as recountRecords } from '@/lib/listing/recount'
import { type Command, say, withDatabase } from '../command'

/** Every record of every seller is counted in one statement. */
const STATEMENT_MS = 10 * 60_000

export const recount: Command = {
  name: 'recount',
  usage: '[--check]',
  summary: 'Proves the totals of the lists against the records, and puts right what differs. Works while the server runs.',
  details: ['--check   change nothing; exit code 2 where a total is wrong'],
  options: { check: { type: 'boolean' } },
  arguments: [0, 0],
  async run(values) {
    const check = values.flag('check')
    const differences = await withDatabase(() => recountRecords(!check), STATEMENT_MS)
    if (differences.length === 0) say('Every total is right.')
    else {
      const were = differences.length === 1 ? '1 total was wrong' : `${differences.length} totals were wrong`
      say(check ? `${were}. \`desk recount\` without --check puts that right.` : `${were}, and put right.`)
    }
    return { output: { checked: true, repaired: !check, differences }, partly: check && differences.length > 0 }
  },
}
