/** Generates the sample shop's concert bookings and their tickets. */
import { getCurrency, type Line, type OrderStatus, orderRecord, pickCoupon, pickStatus, type SampleCoupon } from './order'
import type { Random } from './random'
import { type Concert, type Customer, concerts, type TicketType } from './shop'
import { DAY, HOUR, idAt, iso, randomTimes } from './times'

export type Booking = Line & {
  id: string
  /** The seats that tickets are generated for. They are not part of the imported record. */
  seats: {
    page: Concert
    ticketType: TicketType
    customer: Customer
    createdAt: Date
    status: OrderStatus
    orderId: string
    currency: string
    livemode: boolean
  }[]
}

/** Generates concert bookings from the year up to `now`, oldest first. */
export function makeBookings(random: Random, now: Date, count: number, customers: Customer[], coupons: SampleCoupon[]): Booking[] {
  return randomTimes(random, now, count).map((createdAt, number) => {
    const page = random.pick(concerts)
    const customer = random.pick(customers)
    const status = pickStatus(random, now, createdAt)
    const chosen = [random.pick(page.ticketTypes), ...(random.chance(0.15) ? [random.pick(page.ticketTypes)] : [])]
    const parts = [...new Set(chosen)].map((ticketType) => ({
      ticketType,
      quantity: random.weighted([
        [1, 3],
        [2, 6],
        [3, 1],
        [4, 1],
      ]),
    }))
    const order = {
      id: idAt(createdAt, 3, number),
      number,
      pageId: page.id,
      customer,
      createdAt,
      status,
      amount: parts.reduce((sum, { ticketType, quantity }) => sum + ticketType.price * quantity, 0),
      livemode: !random.chance(0.04),
    }
    const record = orderRecord(random, 'concert', order, pickCoupon(random, coupons, page.id, createdAt, getCurrency(customer)))
    const tickets = parts.map(({ ticketType, quantity }) => ({
      name: ticketType.name,
      ticketTypeId: ticketType.id,
      capacity: ticketType.capacity,
      reference: ticketType.name.toLowerCase().replaceAll(' ', '-'),
      ...(page.ticketTypes.length > 2
        ? { ticketGroupId: 'grp_field', ticketGroupName: 'Field', ticketGroupCapacity: 1500, ticketGroupReference: 'field' }
        : {}),
      quantity,
      price: ticketType.price,
      originalPrice: ticketType.price + 200,
      bookingFeeAmount: 100,
      discount: { minQuantity: 1, maxQuantity: 10, percentOff: 0, amountOff: 200, amount: 200 },
    }))
    const seats = parts.flatMap(({ ticketType, quantity }) =>
      Array.from({ length: quantity }, () => ({
        page,
        ticketType,
        customer,
        createdAt,
        status,
        orderId: record.orderId ?? '',
        currency: record.currency,
        livemode: order.livemode,
      })),
    )
    return { ...record, tickets, seats }
  })
}

/** Generates the tickets of the latest bookings. @param max the maximum number of tickets */
export function makeTickets(random: Random, now: Date, max: number, bookings: Booking[]): Line[] {
  const sold = bookings.flatMap(({ id, seats }) => seats.map((seat) => ({ ...seat, chargeId: id })))
  const issued = sold.filter(({ status }) => ['paid', 'partial_refund', 'refunded', 'canceled'].includes(status)).slice(-max)
  return issued.map(({ page, ticketType, customer, createdAt, status, orderId, currency, livemode, chargeId }, number) => {
    const isCanceled = status === 'refunded' || status === 'canceled'
    const age = now.getTime() - createdAt.getTime()
    const hasAttended = !isCanceled && age > 30 * DAY && random.chance(0.85)
    // The doors open in the evening.
    const checkedInAt = new Date(Math.floor(createdAt.getTime() / DAY + 20) * DAY + 18 * HOUR + random.integer(0, 3 * HOUR))
    const entry = {
      method: random.weighted([
        ['QRSCAN', 9],
        ['MANUAL', 1],
      ]),
      checkedInAt: iso(checkedInAt),
      checkedInByUserId: 'front-door',
      status: 'CHECKEDIN',
    }
    return {
      id: idAt(createdAt, 4, number),
      qrCode: `LH${random.hex(32).toUpperCase()}`,
      chargeId,
      pageId: page.id,
      status: isCanceled ? 'CANCELED' : 'PAID',
      orderId,
      customerName: customer.name,
      customerEmail: customer.email,
      ticketTypeId: ticketType.id,
      ...(hasAttended ? { checkIns: [entry], latestCheckIn: entry, checkInStatus: 'CHECKEDIN' } : {}),
      ticketShortId: `LH${10_000 + number}`,
      originalPrice: ticketType.price + 200,
      discountAmount: 200,
      feeAmount: 100,
      taxAmount: ticketType.price - Math.round(ticketType.price / 1.21),
      couponAmount: 0,
      revenue: ticketType.price,
      currency,
      livemode,
      metadata: random.chance(0.3)
        ? [{ key: 'seat', value: `${random.pick(['A', 'B', 'C'])}${random.integer(1, 40)}`, addedAt: iso(createdAt) }]
        : [],
      orderedAt: iso(createdAt),
      ...(isCanceled ? { canceledAt: iso(createdAt, DAY) } : {}),
      createdAt: iso(createdAt, 1000),
      updatedAt: iso(createdAt, isCanceled ? DAY : 2000),
    }
  })
}
