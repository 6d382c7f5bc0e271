/** GET /find?q=…: finds records by ID, order number, email, name, code or short ticket ID. The command palette calls it. */
import { z } from 'zod'
import { statusLabel, statusTone, type Tone } from '@/app/_components/cells'
import { requireCaller } from '@/app/session'
import { jsonRoute } from '@/app/table-request'
import { MIN_TERM } from '@/lib/catalog/limits'
import { boundedText } from '@/lib/catalog/shapes'
import { formatMoney } from '@/lib/core/money'
import { parseQuery } from '@/lib/http/exchange'
import { findAnywhere, MAX_TERM, type SearchResult } from '@/lib/listing/find-anywhere'

/** A record, formatted for the command palette. */
export type FoundItem = {
  /** The name of the list that contains the record. */
  resource: string
  href: string
  title: string
  detail?: string
  email?: string
  status?: { text: string; tone: Tone }
  amount?: string
}

export type FindResponse = {
  /** At most five records per list. */
  found: FoundItem[]
  /** The names of the lists with more matches than `found` contains. */
  listsWithMore: string[]
}

const querySchema = z.strictObject({
  q: boundedText(MIN_TERM, MAX_TERM).refine((term) => !/\p{Cc}/u.test(term) && term.isWellFormed(), 'must not contain control characters'),
})

const toItem = ({ resource, id, title, detail, email, status, amount, currency }: SearchResult): FoundItem => ({
  resource,
  href: `/${resource}/${id}`,
  title,
  ...(detail ? { detail } : {}),
  ...(email ? { email } : {}),
  ...(status ? { status: { text: statusLabel(status), tone: statusTone(status) } } : {}),
  ...(amount === undefined ? {} : { amount: formatMoney(amount, currency) }),
})

export const GET = jsonRoute(async (request): Promise<FindResponse> => {
  const { sellerId } = await requireCaller('records')
  const { q } = parseQuery(request.url, querySchema)
  const { found, listsWithMore } = await findAnywhere(sellerId, q)
  return { found: found.map(toItem), listsWithMore }
})
