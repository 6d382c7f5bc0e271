/** Bookings: orders that contain tickets. */
import { z } from 'zod'
import { bookings as table } from '@/db/schema'
import { ORDER_COLUMNS, ORDER_SECRETS, ORDER_STATUSES, orderMembers } from './order'
import { defineResource } from './resource'
import { discount, number, text } from './shapes'

export const bookingTicketLine = z.strictObject({
  name: text.optional(),
  ticketTypeId: text.optional(),
  capacity: number.optional(),
  reference: text.optional(),
  ticketGroupId: text.optional(),
  ticketGroupName: text.optional(),
  ticketGroupCapacity: number.optional(),
  ticketGroupReference: text.optional(),
  quantity: number.optional(),
  price: number.optional(),
  originalPrice: number.optional(),
  bookingFeeAmount: number.optional(),
  discount: discount.optional(),
})

export const bookings = defineResource({
  name: 'bookings',
  table,
  record: z.strictObject({ ...orderMembers, tickets: z.array(bookingTicketLine).default([]) }),
  secrets: ORDER_SECRETS,
  filters: { pageId: true, status: ORDER_STATUSES },
  columns: ORDER_COLUMNS,
})
