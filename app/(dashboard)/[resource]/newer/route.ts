/** GET /payments/newer?ending_before=ID: how many records the table has before one, for a table that is open while orders come in. */
import { answerAboutTable } from '@/app/table-request'
import { tablePosition } from '@/lib/listing/list-table'

export const GET = answerAboutTable(async (query) => {
  const position = query.cursor === undefined ? 1 : await tablePosition(query, 0, query.cursor)
  return { count: (position ?? 1) - 1 }
})
