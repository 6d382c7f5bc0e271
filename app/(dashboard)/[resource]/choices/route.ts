/** GET /payments/choices?status=failed: returns the payment methods and currencies available as filters of the table. */
import { tableRoute } from '@/app/table-request'
import { readChoices } from '@/lib/listing/table-facets'

export const GET = tableRoute(readChoices)
