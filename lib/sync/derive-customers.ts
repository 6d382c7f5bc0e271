/** Creates the missing customers that stored orders reference. Earlier versions stored orders without creating their customers. */
import { database } from '@/db/client'
import { RESOURCE_NAMES, resources } from '../catalog'
import { redactErased } from './erase/erased-people'
import { exportRecords } from './export/export'
import { type DerivedCustomer, deriveCustomer, insertNewCustomers, referencesCustomers } from './writers/derived-customers'

/** The resources whose records can reference a customer. */
const ORDER_RESOURCES = RESOURCE_NAMES.filter((name) => referencesCustomers(resources[name]))

/** The maximum number of customers inserted per transaction. */
const BATCH = 1000

/** Yields the customers that can be derived from a seller's orders, oldest order first. */
async function* customersOfOrders(seller: string): AsyncGenerator<DerivedCustomer> {
  const lists = ORDER_RESOURCES.map((name) => exportRecords(name, seller))
  const nextCustomer = async (list: (typeof lists)[number]) => {
    for (let line = await list.next(); !line.done; line = await list.next()) {
      const customer = deriveCustomer({ ...(JSON.parse(line.value) as Record<string, unknown>), sellerId: seller })
      if (customer) return customer
    }
    return undefined
  }
  const heads = await Promise.all(lists.map(async (list) => ({ list, customer: await nextCustomer(list) })))
  for (;;) {
    const [oldest] = heads.flatMap((head) => (head.customer ? { head, customer: head.customer } : [])).sort(compareTimes)
    if (!oldest) return
    yield oldest.customer
    oldest.head.customer = await nextCustomer(oldest.head.list)
  }
}

const compareTimes = (a: { customer: DerivedCustomer }, b: { customer: DerivedCustomer }) =>
  a.customer.createdAt < b.customer.createdAt ? -1 : 1

/**
 * Creates the missing customers that a seller's orders reference, each from its oldest order. Running it again creates nothing.
 *
 * @param seller the seller's ID
 * @returns the numbers of orders with a derivable customer, and of customers that were created
 * @throws {UnavailableError} if the database becomes unavailable; customers created before that are kept
 */
export async function deriveCustomers(seller: string): Promise<{ read: number; written: number }> {
  const seen = new Set<string>()
  let batch: DerivedCustomer[] = []
  let read = 0
  let written = 0
  const flush = async () => {
    if (batch.length === 0) return
    // A person may have been erased since their orders were read.
    const created = await database().transaction(async (connection) =>
      connection.rows(insertNewCustomers(seller, await redactErased(connection, seller, batch))),
    )
    written += created.length
    batch = []
  }
  for await (const customer of customersOfOrders(seller)) {
    read += 1
    if (seen.has(customer.id)) continue
    seen.add(customer.id)
    batch.push(customer)
    if (batch.length >= BATCH) await flush()
  }
  await flush()
  return { read, written }
}
