/** Registers the operations that change records. */
import { createCoupon, updateCoupon } from './coupon-operations'
import { eraseCustomer, updateCustomer } from './customer-operations'
import { updateTicket } from './ticket-operations'
import { webhookOperations } from './webhook-operations'
import type { WriteOperation } from './write-operation'

/** The operations, in the order of the API reference. */
export const writeOperations: readonly WriteOperation[] = [
  createCoupon,
  updateCoupon,
  updateCustomer,
  eraseCustomer,
  updateTicket,
  ...webhookOperations,
]
