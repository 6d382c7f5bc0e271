/** GET /payments/newer?ending_before=ID: counts the records before the given one, up to 1,000. Tables poll it to count new records. */
import { MAX_NEWER, tableRoute } from '@/app/table-request'
import { countPreceding } from '@/lib/listing/list-table'

export const GET = tableRoute(async ({ cursor, ...query }) => ({
  count: cursor === undefined ? 0 : await countPreceding({ ...query, cursor }, MAX_NEWER),
}))
