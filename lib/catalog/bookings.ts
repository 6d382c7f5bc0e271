/** Bookings: orders that contain event tickets. */
import { z } from 'zod'
import { bookings as table } from '@/db/schema'
import { EXAMPLE, ORDER_COLUMNS, ORDER_SEARCH, ORDER_SECRETS, ORDER_TABS, orderMembers, orderStatus } from './order'
import { defineResource } from './resource'
import { discount, money, number, text } from './shapes'

const ticketLine = z
  .strictObject({
    name: text.optional().describe('Name of the ticket type.'),
    ticketTypeId: text.optional().describe('ID of the ticket type.'),
    capacity: number.optional().describe('Total number of tickets of this type.'),
    reference: text.optional().describe('Reference that the seller assigned to the ticket type.'),
    ticketGroupId: text.optional().describe('ID of the ticket group (for example, a day of the event).'),
    ticketGroupName: text.optional().describe('Name of the ticket group.'),
    ticketGroupCapacity: number.optional().describe('Total number of tickets of the ticket group.'),
    ticketGroupReference: text.optional().describe('Reference that the seller assigned to the ticket group.'),
    quantity: number.optional().describe('Number of tickets booked.'),
    price: money('Price of one ticket').optional(),
    originalPrice: money('Price of one ticket before the discount').optional(),
    bookingFeeAmount: money('Booking fee for one ticket').optional(),
    discount: discount.optional().describe('Quantity discount applied to the tickets.'),
  })
  .meta({ id: 'BookingTicketLine', description: 'Tickets of one type in a booking.' })

export const bookings = defineResource({
  name: 'bookings',
  label: { one: 'Booking', many: 'Bookings' },
  description: 'A booking is an order that contains event tickets.',
  table,
  record: z.strictObject({
    ...orderMembers,
    tickets: z
      .array(ticketLine)
      .default([])
      .describe(
        'Tickets booked, grouped by ticket type. Each ticket is validated separately. If a paid booking is imported without its tickets, one ticket is created for each seat booked.',
      ),
  }),
  secrets: ORDER_SECRETS,
  search: ORDER_SEARCH,
  gatewayId: 'gatewayPaymentIntentId',
  filters: { pageId: true, status: orderStatus.options, tabs: ORDER_TABS },
  statusEvents: ['paid', 'refunded'],
  columns: ORDER_COLUMNS,
  example: {
    id: '6b0120885a117e0002000801',
    orderId: 'BK-100799',
    ...EXAMPLE.customer,
    ...EXAMPLE.seller,
    pageId: '680784c0821027c4d1044cb9',
    currency: 'eur',
    amount: 7000,
    amountPaid: 7000,
    taxBreakdown: [],
    coupon: { id: '68a1f0e2d3c4b5a697887960', label: 'Early bird', code: 'EARLY', percentOff: 10, discount: 700 },
    status: 'paid',
    paymentMethod: { gateway: 'gateway', method: 'ideal', mode: 'default' },
    createdAt: '2026-11-20T18:10:00.000Z',
    updatedAt: '2026-11-20T18:10:04.000Z',
    tickets: [{ name: 'Standing', ticketTypeId: '000000000000000000007102', quantity: 2, price: 3500, originalPrice: 3850 }],
  },
})
