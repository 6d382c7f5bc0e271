/** GET /payments/newer?ending_before=ID: counts the records before a given one, up to 1,000. Tables poll it to show how many are new. */
import { tableRoute } from '@/app/table-request'
import { countPreceding } from '@/lib/listing/list-table'

const MAX_COUNT = 1_000

export const GET = tableRoute(async ({ cursor, ...query }) => ({
  count: cursor === undefined ? 0 : await countPreceding({ ...query, cursor }, MAX_COUNT),
}))
