/** desk customers derive */
import { deriveCustomers } from '@/lib/sync/derive-customers'
import { type Command, say, withDatabase } from '../command'
import { requireSeller } from './key'

/** A batch of customers is one statement, which can take a long time. */
const STATEMENT_MS = 120_000

export const customersDerive: Command = {
  name: 'customers derive',
  usage: '--seller ID',
  summary: 'Creates the customers that stored orders name and that do not exist. Safe while the server runs.',
  details: [
    'Imports, pulls and Stripe events create the customers of new orders. This command is for orders that were stored before.',
    'A customer gets its email address, name, phone and billing address from its oldest order. Existing customers are not changed.',
    '',
    '--seller ID   the seller’s ID',
  ],
  options: { seller: { type: 'string' } },
  arguments: [0, 0],
  async run(values) {
    const sellerId = values.required('seller')
    const result = await withDatabase(async () => deriveCustomers(await requireSeller(sellerId)), STATEMENT_MS)
    say(`${result.read} orders name a customer; ${result.written} customers were created.`)
    return { output: result }
  },
}
