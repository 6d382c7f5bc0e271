/**
 * GET /payments/choices?status=failed: returns the payment methods and currencies that the table can be filtered by, each
 * with its number of records.
 */
import { tableRoute } from '@/app/table-request'
import { readChoices } from '@/lib/listing/table-facets'

export const GET = tableRoute(readChoices)
