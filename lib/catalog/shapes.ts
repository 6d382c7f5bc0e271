/** Defines the value types and sub-objects that records have in common (docs/spec.md, "Shared sub-objects"). */
import { z } from 'zod'
import { OBJECT_ID } from '../core/object-id-pattern'
import { normalizeTimestamp } from '../core/time'

const countCharacters = (value: string) => [...value].length

/** Returns the schema of a string of `min` to `max` characters, counted as Unicode code points. */
export const boundedText = (min: number, max: number) =>
  z
    .string()
    .refine((value) => countCharacters(value) >= min && countCharacters(value) <= max, `must have ${min} to ${max} characters`)
    .meta({ minLength: min, maxLength: max })

export const text = z.string()
/** A finite number: JSON cannot represent NaN or infinity. */
export const number = z.number()
export const flag = z.boolean()
export const textList = z.array(text)

/** Returns the schema of a whole number from `min` to `max`. */
export const wholeNumber = (min: number, max: number) =>
  z
    .number()
    .refine(
      (value) => Number.isSafeInteger(value) && value >= min && value <= max,
      `must be a whole number from ${min} to ${max.toLocaleString('en-US')}`,
    )
    .meta({ type: 'integer', minimum: min, maximum: max })

/** Returns the parameter of `z.enum` that sets the error message for values that are not among the options. */
export const describeChoices = (options: readonly string[]) => ({ error: `must be one of ${options.join(', ')}` })

// Not specified: the unit of amounts. Minor currency units: 2500 is 25.00 EUR, or ¥2500.
/** A whole number of minor currency units. */
export const amount = z
  .number()
  .refine(Number.isSafeInteger, 'must be a whole number of minor currency units (2500 is 25.00 EUR), less than 2^53')
  .meta({ type: 'integer', format: 'int64' })
/** Returns the schema of an amount, with a description. @param what the start of the description, without the unit */
export const money = (what: string) => amount.describe(`${what}, in minor currency units (for example, cents).`)

// Not specified: the letter case of IDs.
/** An ID in this API's format: 24 hexadecimal digits, stored in lowercase. */
export const objectId = z
  .string()
  .regex(OBJECT_ID, 'must be 24 hex digits')
  .overwrite((value) => value.toLowerCase())

/** A reference to another record. An ID in this API's format is stored in lowercase, so that it equals the `id` of the record. */
export const recordReference = text.overwrite((value) => (OBJECT_ID.test(value) ? value.toLowerCase() : value))

// Not specified: the format of a timestamp.
/** A timestamp with any offset, stored as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be a timestamp such as 2026-11-21T19:30:00.000Z' })
  .refine((value) => normalizeTimestamp(value) !== undefined, 'must be between the years 1 and 9999')
  .overwrite((value) => normalizeTimestamp(value) ?? value)

/** Returns the schema of an enumeration. @param meanings the values, each with its description for the API reference */
export const enumeration = <const M extends Record<string, string>>(meanings: M) =>
  z.enum(Object.keys(meanings) as (keyof M & string)[]).meta({ 'x-enumDescriptions': meanings })

/** Members that most records have. */
export const identity = {
  id: objectId.describe('Unique identifier of the record.'),
  sellerId: text.describe('ID of the seller that owns the record. Always the API key’s seller.'),
  livemode: flag
    .optional()
    .describe('`true` for a live record; `false` for a test record, for which no money was moved. Lists include both.'),
  createdAt: instant.describe('Time at which the record was created. Lists are sorted by it, newest first.'),
  updatedAt: instant.describe('Time at which the record was last updated. Equal to `createdAt` if it was never updated.'),
}

export const currency = text.describe('Three-letter ISO 4217 currency code, usually in lowercase.')

export const address = z
  .strictObject({
    line1: text.optional().describe('Address line 1 (for example, street, PO box or company name).'),
    line2: text.optional().describe('Address line 2 (for example, apartment, suite, unit or building).'),
    city: text.optional().describe('City, district, suburb, town or village.'),
    state: text.optional().describe('State, county, province or region.'),
    postalCode: text.optional().describe('ZIP or postal code.'),
    country: text.optional().describe('Country, usually as a two-letter ISO 3166-1 alpha-2 code.'),
  })
  .meta({ id: 'Address', description: 'A postal address.' })

export const billing = z
  .strictObject({
    name: text.optional().describe('Full name of the customer.'),
    companyName: text.optional().describe('Name of the customer’s company.'),
    email: text.optional().describe('Email address of the customer.'),
    billingEmail: text.optional().describe('Email address that invoices are sent to, if different from `email`.'),
    phone: text.optional().describe('Phone number of the customer.'),
    address: address.optional().describe('Billing address.'),
  })
  .meta({ id: 'Billing', description: 'Billing details of a customer.' })

export const shipping = z
  .strictObject({
    name: text.optional().describe('Name of the recipient.'),
    phone: text.optional().describe('Phone number of the recipient.'),
    address: address.optional().describe('Shipping address.'),
  })
  .meta({ id: 'Shipping', description: 'Shipping details of an order.' })

const feeMembers = {
  name: text.optional().describe('Name of the fee, as shown on the invoice.'),
  amount: money('Amount of the fee').optional(),
  percentage: number.optional().describe('Fee as a percentage of the price, if it is calculated as a percentage.'),
}

/** A fee charged on a payment or a booking. */
export const fee = z.strictObject(feeMembers).meta({ id: 'Fee', description: 'A fee charged on a payment or a booking.' })

/** A recurring fee charged on a subscription. */
export const productFee = z
  .strictObject({ ...feeMembers, gatewayProductId: text.optional().describe('ID of the fee’s product at the payment gateway.') })
  .meta({ id: 'ProductFee', description: 'A recurring fee charged on a subscription.' })

/** A fee on a subscription's setup fee, variant or option. */
export const invoiceFee = z
  .strictObject({ ...feeMembers, gatewayInvoiceItemId: text.optional().describe('ID of the fee’s invoice item at the payment gateway.') })
  .meta({ id: 'InvoiceFee', description: 'A fee that is billed as an invoice item.' })

const customFieldMembers = {
  fieldId: text.optional().describe('ID of the field on the checkout form.'),
  label: text.optional().describe('Label of the field, as shown to the customer.'),
  value: text.optional().describe('Value that the customer entered.'),
  element: text.optional().describe('Form element of the field (for example, `checkbox`).'),
  type: text.optional().describe('Input type of the form element. Can be empty.'),
}
const reference = text.optional().describe('Reference that the seller assigned.')

/** A custom field of a subscription. */
export const customField = z
  .strictObject({ ...customFieldMembers, reference })
  .meta({ id: 'CustomField', description: 'A custom field of the checkout form and the value that the customer entered.' })

/** A custom field of a payment or a booking. */
export const orderCustomField = z
  .strictObject({
    ...customFieldMembers,
    reference,
    meta: text.optional().describe('Additional data that the checkout form stored with the value.'),
  })
  .meta({ id: 'OrderCustomField', description: 'A custom field of a payment or a booking and the value that the customer entered.' })

export const paymentMethod = z
  .strictObject({
    gateway: text.optional().describe('Payment gateway that processed the payment.'),
    method: text.optional().describe('Type of the payment method (for example, `card` or `ideal`).'),
    wallet: text.optional().describe('Digital wallet that the customer paid with (for example, `apple_pay`).'),
    mode: text.optional().describe('Mode in which the gateway was used (for example, `default`).'),
    brand: text.optional().describe('Card brand (for example, `visa`).'),
    last4: text.optional().describe('Last four digits of the card or bank account.'),
    country: text.optional().describe('Country in which the card or bank account was issued.'),
    exp_month: number.optional().describe('Month in which the card expires, from 1 to 12.'),
    exp_year: number.optional().describe('Four-digit year in which the card expires.'),
    funding: text.optional().describe('Funding type of the card (for example, `credit` or `debit`).'),
  })
  .meta({ id: 'PaymentMethod', description: 'The payment method of an order.' })

export const discount = z
  .strictObject({
    minQuantity: number.optional().describe('Smallest quantity that the discount applies to.'),
    maxQuantity: number.optional().describe('Largest quantity that the discount applies to.'),
    percentOff: number.optional().describe('Percentage taken off the price.'),
    amountOff: money('Amount taken off the price of each item').optional(),
    amount: money('Total amount of the discount').optional(),
  })
  .meta({ id: 'Discount', description: 'A discount that depends on the quantity.' })

/** The members that product variants have in both payments and subscriptions. */
export const variantMembers = {
  name: text.optional().describe('Name of the variant (for example, `Size`).'),
  variantId: text.optional().describe('ID of the variant.'),
  reference,
  selectionType: text.optional().describe('How many options the customer can select (for example, `single`).'),
}

/** The members that variant options have in both payments and subscriptions. */
export const optionMembers = {
  optionId: text.optional().describe('ID of the option.'),
  optionName: text.optional().describe('Name of the option (for example, `Large`).'),
  sku: text.optional().describe('Stock keeping unit (SKU) of the option.'),
  quantity: number.optional().describe('Quantity of the option.'),
  additionalChargeAmount: money('Amount that one unit of the option adds to the price').optional(),
}
