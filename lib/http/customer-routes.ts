/** The operations that change and erase customers. */
import { eraseCustomer as eraseOperation, updateCustomer as updateOperation } from '../catalog/customer-operations'
import { lockCustomer, updateCustomer } from '../sync/edit/customers'
import { eraseCustomer, lockForErasure } from '../sync/erase/erase-customer'
import { defineChangeRoute } from './write-route'

/** `PATCH /v1/customers/{id}` */
export const updateCustomerRoute = defineChangeRoute(updateOperation, lockCustomer, updateCustomer)

/** `POST /v1/customers/{id}/erase` */
export const eraseCustomerRoute = defineChangeRoute(eraseOperation, lockForErasure, async (connection, sellerId, editor, current) => {
  const { record } = await eraseCustomer(connection, sellerId, editor, current)
  return record
})
