/** What each member of a coupon, a ticket and a validation means. */
import type { coupons } from '../../../catalog/coupons'
import type * as ticket from '../../../catalog/ticket'
import type { validationAnswer, validationBody } from '../../validate-ticket-route'
import { EVERY_RECORD, type Members } from './shared'

export const coupon: Members<typeof coupons.record> = {
  id: EVERY_RECORD.id,
  label: 'What the seller calls it. Can be searched for.',
  code: 'What the customer enters. Can be searched for.',
  amountOff: 'What it takes off, in minor currency units.',
  currency: 'The currency of `amountOff`, as a code of three letters.',
  percentOff: 'What it takes off, in percent.',
  appliesToSetupFee: 'Whether it takes off the setup fee too.',
  duration: 'For how long it counts on a subscription.',
  durationInMonths: 'For how many months, where `duration` is `repeating`.',
  redeemBy: 'Until when it can be used.',
  maxRedemptions: 'How often it can be used in all.',
  timesRedeemed: 'How often it has been used.',
  deleted: 'Whether it was deleted: it can’t be used any more, but is still listed.',
  sellerId: EVERY_RECORD.sellerId,
  pageIds: 'The pages on which it counts; on all where absent.',
  gatewayCouponId: 'The gateway’s id of the coupon.',
  createdAt: EVERY_RECORD.createdAt,
  updatedAt: EVERY_RECORD.updatedAt,
}

export const DURATION_MEANINGS = {
  once: 'on one invoice',
  repeating: 'for `durationInMonths`',
  forever: 'on every invoice',
} satisfies Record<'once' | 'repeating' | 'forever', string>

export const ticketMembers: Members<typeof ticket.ticketRecord> = {
  id: EVERY_RECORD.id,
  sellerId: EVERY_RECORD.sellerId,
  chargeId: 'The id of the booking that it came from.',
  pageId: 'The page of its event.',
  status: 'Whether it is good.',
  orderId: 'The order’s number, as the customer knows it.',
  customerName: 'The customer’s name.',
  customerEmail: 'The customer’s e-mail address.',
  ticketTypeId: 'The id of the kind of ticket.',
  checkIns: 'What happened at the door, oldest first.',
  latestCheckIn: 'The last entry of `checkIns`; absent where there is none.',
  ticketShortId: 'A short number, for people to read out.',
  checkInStatus: 'Whether the guest is in.',
  originalPrice: 'What it cost before anything was taken off, in minor currency units.',
  discountAmount: 'What was taken off for quantity, in minor currency units.',
  feeAmount: 'What was charged on top, in minor currency units.',
  taxAmount: 'The tax in it, in minor currency units.',
  couponAmount: 'What a coupon took off, in minor currency units.',
  revenue: 'What is left for the seller, in minor currency units.',
  currency: 'The currency, as a code of three letters.',
  livemode: EVERY_RECORD.livemode,
  metadata: 'What doors have noted on it, at most 50 entries.',
  orderedAt: 'When it was ordered.',
  canceledAt: 'When it was canceled, by itself or with its booking.',
  createdAt: 'When the ticket was made.',
  updatedAt: 'When the ticket last changed: its record, what the door did, or its booking being refunded or canceled.',
}

export const checkInMembers: Members<typeof ticket.checkIn> = {
  method: 'How the guest came in.',
  checkedInAt: 'The day, in the seller’s time zone: `YYYY-MM-DD`.',
  checkedInByUserId: 'The id of the user or of the API key that did it.',
  status: 'In or out after this entry.',
}

export const metadataMembers: Members<typeof ticket.metadataEntry> = {
  key: 'What it is called.',
  value: 'What it says.',
  addedAt: 'When it was last written.',
}

export const bodyMembers: Members<typeof validationBody> = {
  metadata: 'What to note on the ticket. Merged by key with what stands there; a key may come once.',
  checkIn: 'False looks and admits nobody: the answer is the one that an admission would give. True if not given.',
}

export const changeMembers = {
  key: 'What it is called.',
  value: 'What it is to say; null takes the key away.',
}

export const answerMembers: Members<typeof validationAnswer> = {
  success: 'Whether the guest may go in. A fault is never told by this member: it is a 5xx.',
  ticket: 'The ticket as it is now.',
  message: 'What happened, for a person to read.',
  reason: 'Why nobody was admitted; absent where `success` is true.',
}

export const REASON_MEANINGS = {
  already_checked_in: 'the guest of this ticket is in already',
  canceled: 'the ticket is canceled',
} as const

export const TICKET_STATUS_MEANINGS: Record<(typeof ticket.TICKET_STATUSES)[number], string> = {
  PAID: 'it lets its guest in',
  CANCELED: 'it lets nobody in; so is every ticket of a booking that is refunded or canceled',
}
export const CHECK_IN_STATUS_MEANINGS: Record<(typeof ticket.CHECK_IN_STATUSES)[number], string> = {
  UNCHECKEDIN: 'out',
  CHECKEDIN: 'in',
}
export const METHOD_MEANINGS: Record<(typeof ticket.CHECK_IN_METHODS)[number], string> = {
  QRSCAN: 'by the code of the ticket',
  MANUAL: 'by hand',
}
