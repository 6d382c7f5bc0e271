/** Changes customers, for the API and the dashboard. */
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Connection } from '@/db/client'
import { type Editor, writeAudit } from '../../accounts/audit'
import type { updateCustomerBody } from '../../catalog/customer-operations'
import { customers } from '../../catalog/customers'
import { editedWith, editUnchanged, lockRecord, patchRecord } from './edit-record'

type CustomerPatch = z.output<typeof updateCustomerBody>

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
    update ${table} set edited = ${editedWith(members.after)}
    where ${table.sellerId} = ${sellerId} and ${table.id} = ${id}`)
  await writeAudit(connection, { sellerId, by, action: 'customer.changed', subject: id, recordId: id, changes: { members } })
  return record
}

/** Changes a customer in the dashboard. */
export const editCustomer = editUnchanged(lockCustomer, updateCustomer)
