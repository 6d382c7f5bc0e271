/** desk customers derive, erase */
import { OBJECT_ID } from '@/lib/core/object-id'
import { deriveCustomers } from '@/lib/sync/derive-customers'
import { eraseCustomerById } from '@/lib/sync/erase/erase-customer'
import { BULK_STATEMENT_MS, type Command, CommandError, say, withDatabase } from '../command'
import { requireSeller } from './key'

/** Uses the bulk statement timeout, because each batch of customers is one statement, which can take a long time. */
export const customersDerive: Command = {
  name: 'customers derive',
  usage: '--seller ID',
  summary: 'Creates the missing customers of stored orders. Safe while the server runs.',
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
    const result = await withDatabase(async () => deriveCustomers(await requireSeller(sellerId)), BULK_STATEMENT_MS)
    say(`${result.read} orders name a customer; ${result.written} customers were created.`)
    return { output: result }
  },
}

export const customersErase: Command = {
  name: 'customers erase',
  usage: 'ID --seller ID --yes',
  summary: 'Erases the personal data of a customer. This cannot be undone.',
  details: [
    'Replaces or removes names, email addresses, phone numbers, addresses, tax IDs, custom fields and query parameters in the customer,',
    'in the orders and tickets with the customer’s ID or email address, and in stored copies of them. Amounts, dates and IDs stay.',
    'Later imports and Stripe events of these orders do not restore the data. Backups and exported files still contain it.',
    '',
    '--seller ID   the seller’s ID',
    '--yes         confirms the erasure',
  ],
  options: { seller: { type: 'string' }, yes: { type: 'boolean' } },
  arguments: [1, 1],
  async run(values, [given = '']) {
    const sellerId = values.required('seller')
    if (!OBJECT_ID.test(given)) throw new CommandError('The ID must have 24 hex digits.')
    if (!values.flag('yes')) throw new CommandError('An erasure cannot be undone. Add --yes to confirm it.')
    const id = given.toLowerCase()
    const erased = await withDatabase(async () => eraseCustomerById(await requireSeller(sellerId), undefined, id), BULK_STATEMENT_MS)
    if (!erased) throw new CommandError(`The seller has no customer ${id}. \`desk export customers\` lists the IDs.`)
    const { changed } = erased
    say(`Customer ${id} was erased.`)
    return { output: { id, changed } }
  },
}
