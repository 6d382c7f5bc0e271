/** Changes customers, for the API and the dashboard. */
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { type Editor, writeAudit } from '../../accounts/audit'
import type { updateCustomerBody } from '../../catalog/customer-operations'
import { customers } from '../../catalog/customers'
import { textArray } from '../../core/sql'
import { lockRecord, patchRecord } from './edit-record'

export type CustomerPatch = z.output<typeof updateCustomerBody>

const { table } = customers

/** Locks a customer. Returns its JSON, or undefined if the seller has no such customer. */
export const lockCustomer = lockRecord(customers)

/**
 * Changes a locked customer. The audit log lists the names of the changed members, but contains no personal data.
 *
 * @param current the result of `lockCustomer`
 * @returns the customer's JSON
 */
export async function updateCustomer(
  connection: Connection,
  sellerId: string,
  by: Editor,
  current: string,
  patch: CustomerPatch,
): Promise<string> {
  const { id } = JSON.parse(current) as { id: string }
  const { record, changes } = await patchRecord(connection, customers, sellerId, current, patch)
  if (!changes) return record
  const members = { after: Object.keys(changes) }
  await connection.rows(sql`
    update ${table} set edited = array(select distinct unnest(edited || ${textArray(members.after)}) order by 1)
    where ${table.sellerId} = ${sellerId} and ${table.id} = ${id}`)
  await writeAudit(connection, { sellerId, by, action: 'customer.changed', subject: id, recordId: id, changes: { members } })
  return record
}

/**
 * Changes a customer in the dashboard.
 *
 * @param isUnchanged returns whether the customer's JSON is the same as when the user opened the form. Comparing `updatedAt`
 *   is not enough: if it is in the future, changes do not raise it.
 * @returns `changed` if the customer has changed since then, or `gone` if it does not exist; in both cases, nothing is written
 */
export const editCustomer = (
  sellerId: string,
  by: Editor,
  id: string,
  isUnchanged: (current: string) => boolean,
  patch: CustomerPatch,
): Promise<'saved' | 'changed' | 'gone'> =>
  database().transaction(async (connection) => {
    const current = await lockCustomer(connection, sellerId, id)
    if (current === undefined) return 'gone'
    if (!isUnchanged(current)) return 'changed'
    await updateCustomer(connection, sellerId, by, current, patch)
    return 'saved'
  })
