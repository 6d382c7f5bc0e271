/** GET /payments/newer?ending_before=ID: how many records the table has before one, up to 1,000, for a table that is open while orders come in. */
import { answerAboutTable } from '@/app/table-request'
import { countPreceding } from '@/lib/listing/list-table'

const MAX = 1_000

export const GET = answerAboutTable(async ({ cursor, ...query }) => ({
  count: cursor === undefined ? 0 : await countPreceding({ ...query, cursor }, MAX),
}))
