/** desk customers derive, erase */
import { OBJECT_ID } from '@/lib/core/object-id-pattern'
import { deriveCustomers } from '@/lib/sync/derive-customers'
import { eraseCustomerById } from '@/lib/sync/erase/erase-customer'
import { BULK_OPTIONS, type Command, CommandError, printMessage } from '../command'
import { withSeller } from '../with-seller'

/** Uses the bulk statement timeout, because inserting a batch of customers is one statement that can take a long time. */
export const customersDerive: Command = {
  name: 'customers derive',
  usage: '--seller ID',
  summary: 'Creates missing customers for stored orders. Safe while the server is running.',
  details: [
    'Imports, pulls and Stripe events create customers for new orders. This command is for orders stored by older versions.',
    'A customer’s email address, name, phone number and billing address are taken from their oldest order.',
    'Existing customers are not changed.',
    '',
    '--seller ID   the seller’s ID',
  ],
  options: { seller: { type: 'string' } },
  arguments: [0, 0],
  async run(values) {
    const result = await withSeller(values.required('seller'), deriveCustomers, BULK_OPTIONS)
    printMessage(`Orders with a customer ID: ${result.read}. Customers created: ${result.written}.`)
    return { output: result }
  },
}

export const customersErase: Command = {
  name: 'customers erase',
  usage: 'ID --seller ID --yes',
  summary: 'Erases the personal data of a customer. This cannot be undone.',
  details: [
    'Replaces or removes names, email addresses, phone numbers, addresses, tax IDs, custom fields and query parameters in the customer,',
    'in the orders and tickets with the customer’s ID or email address, and in stored copies of these records. Amounts, dates',
    'and IDs are kept. Later imports and Stripe events for these orders do not restore the data. Backups and exported files still',
    'contain it.',
    '',
    '--seller ID   the seller’s ID',
    '--yes         confirms the erasure',
  ],
  options: { seller: { type: 'string' }, yes: { type: 'boolean' } },
  arguments: [1, 1],
  async run(values, [input = '']) {
    const sellerId = values.required('seller')
    if (!OBJECT_ID.test(input)) throw new CommandError('The customer ID must be 24 hexadecimal digits.')
    if (!values.flag('yes')) throw new CommandError('Erasing a customer cannot be undone. Add --yes to confirm.')
    const id = input.toLowerCase()
    const erased = await withSeller(sellerId, (seller) => eraseCustomerById(seller, undefined, id), BULK_OPTIONS)
    if (!erased) throw new CommandError(`The seller has no customer ${id}. \`desk export customers\` lists the IDs.`)
    const { changed } = erased
    printMessage(`Customer ${id} was erased.`)
    return { output: { id, changed } }
  },
}
