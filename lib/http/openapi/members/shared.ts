/** What each member of the sub-objects means that records share. */
import type { z } from 'zod'
import type * as shapes from '../../../catalog/shapes'

/** A sentence for each member of a schema: the compiler finds one that is missing, and one too many. */
export type Members<S extends z.ZodObject> = Record<keyof S['shape'] & string, string>

export const address: Members<typeof shapes.address> = {
  line1: 'Street and number, or a company’s post box.',
  line2: 'Flat, floor, building: what else the door needs.',
  city: 'City or town.',
  state: 'State, province or region.',
  postalCode: 'Postal code.',
  country: 'Country, usually as a code of two letters.',
}

export const billing: Members<typeof shapes.billing> = {
  name: 'Whom the invoice is for.',
  companyName: 'The company that buys, where one does.',
  email: 'The customer’s e-mail address.',
  billingEmail: 'Where invoices go, if elsewhere.',
  phone: 'The customer’s telephone number.',
  address: 'Where the invoice goes.',
}

export const shipping: Members<typeof shapes.shipping> = {
  name: 'Who receives the parcel.',
  phone: 'Whom the carrier may call.',
  address: 'Where the parcel goes.',
}

export const fee: Members<typeof shapes.fee> = {
  name: 'What the fee is called on the invoice.',
  amount: 'What it comes to, in minor currency units.',
  percentage: 'The share of the price that it is, in percent, where it is one.',
}

export const customField: Members<typeof shapes.customField> = {
  fieldId: 'The id of the field on the page’s form.',
  label: 'What the customer was asked.',
  value: 'What the customer answered.',
  element: 'The form’s element, such as `checkbox`.',
  type: 'The element’s type; may be empty.',
  reference: 'The seller’s own name for the field.',
}

export const paymentMethod: Members<typeof shapes.paymentMethod> = {
  gateway: 'The payment gateway that was used.',
  method: 'How it was paid, such as `card` or `ideal`.',
  wallet: 'The wallet that held the card, such as a phone’s.',
  mode: 'How the gateway was used, such as `default`.',
  brand: 'The card’s brand.',
  last4: 'The last four digits of the card or the account.',
  country: 'Where the card or the account was issued.',
  exp_month: 'The month in which the card expires, 1 to 12.',
  exp_year: 'The year in which the card expires, four digits.',
  funding: 'What is behind the card, such as `credit` or `debit`.',
}

export const discount: Members<typeof shapes.discount> = {
  minQuantity: 'From this quantity on.',
  maxQuantity: 'Up to this quantity.',
  percentOff: 'How much is taken off, in percent.',
  amountOff: 'How much is taken off a piece, in minor currency units.',
  amount: 'What it came to, in minor currency units.',
}

/** The members of a variant that payments and subscriptions have in common. */
export const variant: Record<keyof typeof shapes.variant, string> = {
  name: 'What was to be chosen, such as a size.',
  variantId: 'The variant’s id.',
  reference: 'The seller’s own name for the variant.',
  selectionType: 'How many options may be chosen, such as `single`.',
}

/** What an instant, an id and an amount look like is said once, in the guide; these repeat on most records. */
export const EVERY_RECORD = {
  id: 'The record’s id.',
  sellerId: 'The seller whose record it is: the one of the key.',
  createdAt: 'When the record was made. Lists are in this order, newest first.',
  updatedAt: 'When the record last changed; `createdAt` where it never did.',
  livemode: 'False for a test that moved no money. Lists show both.',
} as const

/** Where an order came from: the same on payments, bookings and subscriptions. */
export const EVERY_ORDER = {
  orderId: 'The order’s number, as the customer knows it. Can be searched for.',
  customerEmail: 'The customer’s e-mail address. Can be searched for.',
  customerId: 'The customer’s id.',
  pageId: 'The page on which it was bought. Lists can be filtered by it.',
  productId: 'The product’s id.',
  currency: 'The currency, as a code of three letters.',
  dynamicPrice: 'The price that was worked out for this customer, in minor currency units, where prices vary.',
  billing: 'Whom the invoice is for.',
  shipping: 'Where it is sent, where something is.',
  fields: 'What else the page’s form asked, in order.',
  paymentError: 'Why the payment failed, as the gateway said it.',
  paymentMethod: 'What it was paid with.',
  locale: 'The language of the checkout.',
  sessionId: 'The id of the checkout’s session.',
  userAgent: 'The customer’s browser, as it names itself.',
  screenWidth: 'The width of the customer’s screen in pixels.',
  visitId: 'The id of the visit to the page.',
  queryParameters: 'The parameters of the page’s address when the customer came, such as `utm_source`.',
  gatewayPaymentIntentId: 'The gateway’s id of the payment intent.',
  gatewayPaymentIntentClientSecret:
    'Whoever has it can act on the payment at the gateway. Only a key with `full` or `secrets:read` is given it; it stands last in the record then.',
  upsell: 'Whether it was an upsell: an offer made after another purchase.',
  upsellPageId: 'The page of that other purchase.',
  upsellChargeId: 'The charge of that other purchase.',
  upsellSubscriptionId: 'The subscription of that other purchase.',
  canceledBy: 'Who canceled it.',
  isAbandoned: 'Whether the customer left the checkout without paying.',
  recoveredAt: 'When an abandoned checkout was paid after all.',
  abandonedCartEmailStatus: 'How far the reminder to an abandoned checkout has got, such as `pending`.',
  abandonedCartEmailSentAt: 'When that reminder was sent.',
  licenseKeyId: 'The licence key that was handed out, where one was.',
  quantity: 'How many were bought.',
  sku: 'The seller’s stock-keeping number.',
  productPrice: 'The product’s price for one, in minor currency units.',
  discountedFromPrice: 'The price before it was reduced, in minor currency units.',
} as const
