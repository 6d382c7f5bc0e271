/** Tickets: a ticket as the API returns it combines a stored record with the data that check-in changes. */
import { z } from 'zod'
import { MAX_METADATA } from './limits'
import { defineRecordType } from './resource'
import { boundedText, currency, enumeration, identity, instant, money, objectId, recordReference, text } from './shapes'

// Not specified: the values of these enumerations.
const status = enumeration({
  PAID: 'Valid for admission.',
  CANCELED: 'Not valid. Refunding or canceling a booking cancels its tickets.',
})
const checkInStatus = enumeration({ UNCHECKEDIN: 'Not checked in.', CHECKEDIN: 'Checked in.' })
const method = enumeration({ QRSCAN: 'By scanning the QR code.', MANUAL: 'Manually.' })

export type CheckInStatus = z.output<typeof checkInStatus>

export const checkIn = z
  .strictObject({
    method: method.describe('How the ticket was checked in.'),
    checkedInAt: z.iso.date().describe('Date of the check-in in the seller’s time zone, as `YYYY-MM-DD`.'),
    checkedInByUserId: text.optional().describe('ID of the user, API key or check-in device that made this entry.'),
    status: checkInStatus.describe('Check-in status of the ticket after this entry.'),
  })
  .meta({ id: 'CheckIn', description: 'An entry in the check-in history of a ticket.' })

/** Returns whether PostgreSQL can store the text, which must not contain NUL or malformed Unicode. */
export const isStorable = (value: string) => !value.includes('\u0000') && value.isWellFormed()
export const STORABLE = 'must be well-formed Unicode without NUL'

/** The schema of the reason for an undo, which must not be blank. */
export const undoReason = boundedText(1, 200).refine((reason) => reason.trim() !== '' && !/\p{Cc}/u.test(reason) && reason.isWellFormed())

export const metadataKey = boundedText(1, 50)
export const metadataValue = boundedText(0, 100)

export const metadataEntry = z
  .strictObject({
    key: metadataKey.describe('Name of the entry.'),
    value: metadataValue.describe('Value of the entry.'),
    addedAt: instant.describe('Time at which the entry was last written.'),
  })
  .meta({ id: 'TicketMetadata', description: 'A metadata entry of a ticket.' })

const exampleEntry = { method: 'QRSCAN', checkedInAt: '2026-11-21', checkedInByUserId: '6b000000c1d4e5f60a1b2c3d', status: 'CHECKEDIN' }

/** A ticket as the API returns it. */
export const tickets = defineRecordType({
  name: 'tickets',
  label: { one: 'Ticket', many: 'Tickets' },
  description: 'A ticket admits one guest to an event.',
  record: z.strictObject({
    id: identity.id,
    sellerId: identity.sellerId,
    chargeId: recordReference.optional().describe('ID of the booking that the ticket belongs to.'),
    pageId: objectId.optional().describe('ID of the event’s page.'),
    status: status.describe('Status of the ticket.'),
    orderId: text.optional().describe('Order number, as shown to the customer.'),
    customerName: text.optional().describe('Name of the customer.'),
    customerEmail: text.optional().describe('Email address of the customer.'),
    ticketTypeId: text.optional().describe('ID of the ticket type.'),
    checkIns: z.array(checkIn).describe('Check-in history, oldest first.'),
    latestCheckIn: checkIn.optional().describe('Most recent entry of `checkIns`. Absent if there is none.'),
    ticketShortId: text.optional().describe('Short identifier that is easy to read out.'),
    checkInStatus: checkInStatus.describe('Whether the guest is checked in.'),
    originalPrice: money('Price before discounts').optional(),
    discountAmount: money('Amount of the quantity discount').optional(),
    feeAmount: money('Amount of the fees').optional(),
    taxAmount: money('Amount of the tax').optional(),
    couponAmount: money('Amount that a coupon took off').optional(),
    revenue: money('Amount that the seller receives').optional(),
    currency: currency.optional(),
    livemode: identity.livemode,
    metadata: z.array(metadataEntry).describe(`Metadata of the ticket, up to ${MAX_METADATA} entries.`),
    orderedAt: instant.optional().describe('Time at which the ticket was ordered.'),
    canceledAt: instant.optional().describe('Time at which the ticket or its booking was canceled.'),
    createdAt: instant.describe('Time at which the ticket was created.'),
    updatedAt: instant.describe(
      'Time at which the ticket was last updated: by a change to its record, by a check-in, by a refund or cancellation of its booking, or by a payment that makes it valid again.',
    ),
  }),
  example: {
    id: '6b0120895a117e0002000802',
    sellerId: '651f2a90c1d4e5f60a1b2c3d',
    chargeId: '6b0120885a117e0002000801',
    pageId: '680784c0821027c4d1044cb9',
    status: 'PAID',
    orderId: 'BK-100799',
    customerName: 'Zoë Haddad',
    customerEmail: 'zoe@example.com',
    ticketTypeId: '000000000000000000007102',
    checkIns: [exampleEntry],
    latestCheckIn: exampleEntry,
    ticketShortId: 'HJ10000',
    checkInStatus: 'CHECKEDIN',
    originalPrice: 3850,
    currency: 'eur',
    livemode: true,
    metadata: [{ key: 'gate', value: '2', addedAt: '2026-11-21T19:30:00.000Z' }],
    createdAt: '2026-11-20T18:10:05.000Z',
    updatedAt: '2026-11-21T19:30:00.000Z',
  },
})

/** The schema that the importer and the tests use to validate tickets. */
export const ticketRecord = tickets.record

export type CheckIn = z.output<typeof checkIn>
export type MetadataEntry = z.output<typeof metadataEntry>
export type Ticket = z.output<typeof ticketRecord>

/** The members that are stored in the record, without those that check-in changes. */
export type StoredTicket = Omit<Ticket, 'checkIns' | 'latestCheckIn' | 'checkInStatus' | 'metadata'>

/** The data of a ticket that is stored separately from its record, because check-in changes it. */
type DoorState = {
  checkIns: CheckIn[]
  checkInStatus: CheckInStatus
  metadata: MetadataEntry[]
  /** The time of the last change at check-in, or of the booking's last cancellation or reinstatement, in the format of `updatedAt`. */
  changedAt?: string | undefined
}

const maxTime = (a: string, b: string) => (a > b ? a : b)

/**
 * Parses a ticket's stored record, and marks the ticket as canceled if its booking was refunded or canceled. Does not change `updatedAt`.
 *
 * @param revokedAt the time at which the booking was refunded or canceled; null if it was not
 */
export function parseStoredTicket(record: string, revokedAt: string | null): StoredTicket {
  const stored = JSON.parse(record) as StoredTicket
  if (revokedAt === null || stored.status === 'CANCELED') return stored
  return { ...stored, status: 'CANCELED', canceledAt: revokedAt }
}

/** Assembles a ticket. Its `updatedAt` is the record's or `changedAt`, whichever is later. */
export function composeTicket(stored: StoredTicket, { checkIns, checkInStatus, metadata, changedAt }: DoorState): Ticket {
  const latest = checkIns.at(-1)
  const { createdAt, updatedAt, orderedAt, canceledAt, ...rest } = stored
  return {
    ...rest,
    checkIns,
    ...(latest ? { latestCheckIn: latest } : {}),
    checkInStatus,
    metadata,
    ...(orderedAt ? { orderedAt } : {}),
    ...(canceledAt ? { canceledAt } : {}),
    createdAt,
    // Not specified: whether a check-in changes a ticket's `updatedAt`. In this format, string order is time order.
    updatedAt: maxTime(updatedAt, changedAt ?? ''),
  }
}
