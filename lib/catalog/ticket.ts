/** A ticket as it is served: its facts, which are a record, and what the door has done to it. */
import { z } from 'zod'
import { boundedText, flag, instant, number, objectId, text } from './shapes'

// Spec silent: which values these have.
export const TICKET_STATUSES = ['PAID', 'CANCELED'] as const
export const CHECK_IN_STATUSES = ['UNCHECKEDIN', 'CHECKEDIN'] as const
export const CHECK_IN_METHODS = ['QRSCAN', 'MANUAL'] as const

export type CheckInStatus = (typeof CHECK_IN_STATUSES)[number]

/** The most characters that a code may have. */
export const MAX_CODE = 512

export const checkIn = z.strictObject({
  method: z.enum(CHECK_IN_METHODS),
  /** The day in the seller's time zone, `YYYY-MM-DD`. */
  checkedInAt: z.iso.date(),
  checkedInByUserId: text.optional(),
  status: z.enum(CHECK_IN_STATUSES),
})

export const metadataKey = boundedText(1, 50)
export const metadataValue = boundedText(0, 100)
export const MAX_METADATA = 50

export const metadataEntry = z.strictObject({ key: metadataKey, value: metadataValue, addedAt: instant })

export const ticketRecord = z.strictObject({
  id: objectId,
  sellerId: text,
  chargeId: text.optional(),
  pageId: objectId.optional(),
  status: z.enum(TICKET_STATUSES),
  orderId: text.optional(),
  customerName: text.optional(),
  customerEmail: text.optional(),
  ticketTypeId: text.optional(),
  checkIns: z.array(checkIn),
  latestCheckIn: checkIn.optional(),
  ticketShortId: text.optional(),
  checkInStatus: z.enum(CHECK_IN_STATUSES),
  originalPrice: number.optional(),
  discountAmount: number.optional(),
  feeAmount: number.optional(),
  taxAmount: number.optional(),
  couponAmount: number.optional(),
  revenue: number.optional(),
  currency: text.optional(),
  livemode: flag.optional(),
  metadata: z.array(metadataEntry),
  orderedAt: instant.optional(),
  canceledAt: instant.optional(),
  createdAt: instant,
  updatedAt: instant,
})

export type CheckIn = z.output<typeof checkIn>
export type MetadataEntry = z.output<typeof metadataEntry>
export type Ticket = z.output<typeof ticketRecord>

/** The members that stay as they were sold; the rest is the door's. */
export type TicketFacts = Omit<Ticket, 'checkIns' | 'latestCheckIn' | 'checkInStatus' | 'metadata'>

export type DoorState = { checkIns: CheckIn[]; checkInStatus: CheckInStatus; metadata: MetadataEntry[]; doorAt?: string | undefined }

const later = (a: string, b: string) => (a > b ? a : b)

/**
 * A ticket's facts, as they stand with its booking.
 *
 * @param revokedAt since when the booking is refunded or canceled, where it is
 */
export function factsOf(record: string, revokedAt: string | null): TicketFacts {
  const facts = JSON.parse(record) as TicketFacts
  if (revokedAt === null || facts.status === 'CANCELED') return facts
  return { ...facts, status: 'CANCELED', canceledAt: revokedAt, updatedAt: later(facts.updatedAt, revokedAt) }
}

/** Puts a ticket together. Its `updatedAt` is the later of the facts' and the door's last change. */
export function composeTicket(facts: TicketFacts, { checkIns, checkInStatus, metadata, doorAt }: DoorState): Ticket {
  const latest = checkIns.at(-1)
  const { createdAt, updatedAt, orderedAt, canceledAt, ...rest } = facts
  return {
    ...rest,
    checkIns,
    ...(latest ? { latestCheckIn: latest } : {}),
    checkInStatus,
    metadata,
    ...(orderedAt ? { orderedAt } : {}),
    ...(canceledAt ? { canceledAt } : {}),
    createdAt,
    // Spec silent: whether the door moves a ticket's `updatedAt`. Text order is time order in this one form.
    updatedAt: later(updatedAt, doorAt ?? ''),
  }
}
