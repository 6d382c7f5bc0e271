/** Builds the payment breakdown: items, discounts, fees and taxes that add up to the total, and how much of the total is paid and due. */
import { recordCopy } from '@/app/copy/record'
import { asNumber, asText, type Entry, type EntryContext, formatAmount, formatLabel, makeEntries } from './entries'
import { findSum } from './find-sum'
import { listItemPaths } from './lines'
import type { Member, Members } from './members'

/**
 * `part`: added to the next total. `total`: the sum of the parts since the previous total, plus that total unless a new sum has started
 * (`startsSum`). `included`: already included in the prices. `info`: not part of a sum.
 */
export type Role = 'part' | 'total' | 'included' | 'info'

/** A line of the payment breakdown. */
export type Charge = {
  /** The path of the line's member, or a name for a computed line. Unique within a record. */
  key: string
  label: string
  /** The formatted amount, or text such as "Fully refunded" if the amount is unknown. Empty for lines without an amount. */
  text: string
  role: Role
  /** In minor units of the record's currency, or of US dollars for members such as `amountUsd`. Absent if unknown, and for refunds. */
  amount?: number
  /** Whether this line starts a new sum. */
  startsSum?: true
  href?: string
  /** Members that are shown below the line. */
  details: Entry[]
}

const copy = recordCopy.charges

/** Lines that are either all included in the prices or all added to them. Records do not say which. */
type Group = Charge[]

const sumAmounts = (lines: readonly Charge[]) => lines.reduce((sum, { amount = 0 }) => sum + amount, 0)

function makeLine(key: string, label: string, amount: number, role: Role, context: EntryContext, more: Partial<Charge> = {}): Charge {
  // -0 + 0 is 0, which avoids "-€0.00".
  return { key, label, text: formatAmount(key, amount + 0, context), role, amount, details: [], ...more }
}

/** Takes a member with an amount and builds its line. Returns an empty array if the record does not have the member. */
function takeMemberLine(members: Members, path: string, role: Role, context: EntryContext, more: Partial<Charge> = {}): Charge[] {
  const amount = asNumber(members.at(path))
  if (amount === undefined) return []
  members.take(path)
  return [makeLine(path, formatLabel(path), amount, role, context, more)]
}

/**
 * Takes the members of an object and builds its line. The amount is the first member in `amountNames` that the object has. The others are
 * details.
 *
 * @param factor multiplied by the amount; negative for an amount that is subtracted
 */
function takeObjectLine(
  members: Members,
  path: string,
  label: string,
  amountNames: string[],
  factor: number,
  context: EntryContext,
): Charge[] {
  const amountName = amountNames.find((name) => typeof members.at(`${path}.${name}`) === 'number')
  const amount = amountName === undefined ? undefined : asNumber(members.take(`${path}.${amountName}`)?.value)
  const details = makeEntries(members.takeUnder(path), context)
  if (amount === undefined) return details.length > 0 ? [{ key: path, label, text: '', role: 'part', details }] : []
  return [makeLine(path, label, amount === 0 ? 0 : factor * amount, 'part', context, { details })]
}

function couponCharge(members: Members, context: EntryContext): Charge[] {
  const code = asText(members.at('coupon.code'))
  const label = code === undefined ? copy.coupon : `${copy.coupon} ${code}`
  if (code !== undefined) members.take('coupon.code')
  return takeObjectLine(members, 'coupon', label, ['discount', 'amountOff'], -1, context).map((charge) => ({
    ...charge,
    ...(code === undefined ? {} : { href: `/coupons?search=${encodeURIComponent(code)}` }),
  }))
}

const feeCharges = (members: Members, path: string, context: EntryContext): Charge[] =>
  listItemPaths(members, path).flatMap((fee) => {
    const name: Member | undefined = members.take(`${fee}.name`)
    return takeObjectLine(members, fee, asText(name?.value) ?? copy.fee, ['amount'], 1, context)
  })

/** Builds a line per tax rate, and one for the part of the total tax that the rates do not account for, if any. */
function taxCharges(members: Members, context: EntryContext): Charge[] {
  const rates = listItemPaths(members, 'taxBreakdown').flatMap((rate) => {
    const type = members.take(`${rate}.taxType`) ?? members.take(`${rate}.taxRateDetails.taxType`)
    if (type && members.at(`${rate}.taxRateDetails.taxType`) === type.value) members.take(`${rate}.taxRateDetails.taxType`)
    return takeObjectLine(members, rate, asText(type?.value)?.toUpperCase() ?? copy.tax, ['taxAmount'], 1, context)
  })
  const total = asNumber(members.take('taxAmount')?.value)
  const rest = total === undefined ? 0 : total - sumAmounts(rates)
  if (rates.length === 0) return total === undefined ? [] : [makeLine('taxAmount', formatLabel('taxAmount'), total, 'part', context)]
  return rest === 0 ? rates : [...rates, makeLine('taxAmount', copy.otherTax, rest, 'part', context)]
}

/** The sums of the prices in an order, in minor units, and its quantity. */
type Prices = {
  /** The prices of the product and the tickets. Undefined if the order contains none. */
  items: number | undefined
  /** The additional charges for the selected options of variants. */
  options: number
  /** The booking fees of the tickets. */
  bookingFees: number
  /** The number of products or tickets. */
  quantity: number
}

/** Reads the prices without taking them. Call this before `takeLines`. */
export function readPrices(members: Members): Prices {
  const at = (path: string) => asNumber(members.at(path))
  const product = at('payWhatYouWantPrice') ?? at('productPrice')
  const tickets = listItemPaths(members, 'tickets').flatMap((path) => {
    const price = at(`${path}.price`)
    return price === undefined ? [] : [price * (at(`${path}.quantity`) ?? 1)]
  })
  const ticketCounts = listItemPaths(members, 'tickets').map((path) => at(`${path}.quantity`) ?? 1)
  const prices = [...(product === undefined ? [] : [product * (at('quantity') ?? 1)]), ...tickets]
  const options = listItemPaths(members, 'variants').flatMap((variant) =>
    listItemPaths(members, `${variant}.selectedOptions`).map(
      (path) => at(`${path}.additionalChargeAmountTotal`) ?? (at(`${path}.additionalChargeAmount`) ?? 0) * (at(`${path}.quantity`) ?? 1),
    ),
  )
  const fees = listItemPaths(members, 'tickets').map((path) => (at(`${path}.bookingFeeAmount`) ?? 0) * (at(`${path}.quantity`) ?? 1))
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
  return {
    items: prices.length > 0 ? sum(prices) : undefined,
    options: sum(options),
    bookingFees: sum(fees),
    quantity: at('quantity') ?? (ticketCounts.length > 0 ? sum(ticketCounts) : 1),
  }
}

/** Returns the lines of a sum: the prices, the charges that are added, any remaining difference, the total, and the included charges. */
function addUp(prices: Charge[], groups: Group[], total: Charge, context: EntryContext): Charge[] {
  const target = total.amount ?? 0
  const present = groups.filter((lines) => lines.length > 0)
  if (prices.length === 0) {
    // Without prices, the subtotal is the total minus the known charges.
    const lines = present.flat()
    const rest = target - sumAmounts(lines)
    const subtotal = lines.length > 0 ? [makeLine(`${total.key}Subtotal`, copy.subtotal, rest, 'part', context, { startsSum: true })] : []
    return [...subtotal, ...lines, { ...total, ...(lines.length > 0 ? {} : { startsSum: true as const }) }]
  }
  const { added, rest } = findSum(sumAmounts(prices), present.map(sumAmounts), target)
  const parts = present.flatMap((lines, index) => (added[index] ? lines : []))
  const included = present.flatMap((lines, index) => (added[index] ? [] : lines))
  return [
    ...prices,
    ...parts,
    ...(rest === 0 ? [] : [makeLine(`${total.key}Rest`, copy.rest, rest, 'part', context)]),
    total,
    ...included.map((charge): Charge => ({ ...charge, role: 'included' })),
  ]
}

/** Builds the lines of a subscription's setup fee. If the record contains the fee's total, they add up to it. */
function setupFeeCharges(members: Members, context: EntryContext): Charge[] {
  const paid = members.take('setupFeeInvoiceItemPaid')
  const details = makeEntries([members.take('setupFeeInvoiceItemId'), paid], context)
  const fee = takeMemberLine(members, 'setupFee', 'part', context, { details, startsSum: true })
  const discount = members.take('setupFeeDiscountAmount')
  const amountOff = asNumber(discount?.value) ?? 0
  const fees = feeCharges(members, 'setupFeeFees', context)
  const discounts =
    amountOff === 0 ? [] : [makeLine('setupFeeDiscountAmount', formatLabel('setupFeeDiscountAmount'), -amountOff, 'part', context)]
  const [total] = takeMemberLine(members, 'setupFeeTotal', 'total', context)
  const inDollars = takeMemberLine(members, 'setupFeeUsd', 'info', context)
  if (!total) return [...fee, ...discounts, ...fees, ...inDollars].map((charge) => ({ ...charge, role: 'info' }))
  return [...addUp(fee, [discounts, fees], total, context), ...inDollars]
}

/**
 * Takes the amounts paid and due, and returns the lines after the total: the amount paid, any remaining difference, and the amount due.
 * Returns an empty array if the record contains neither amount.
 *
 * @param amount the total, in minor units
 */
function paidCharges(members: Members, amount: number, context: EntryContext): Charge[] {
  const [paid, due] = ['amountPaid', 'amountDue'].map((path) => asNumber(members.take(path)?.value))
  if (paid === undefined && due === undefined) return []
  const received = paid ?? amount - (due ?? 0)
  const left = due ?? amount - received
  const rest = left - (amount - received)
  return [
    makeLine('amountPaid', formatLabel('amountPaid'), received === 0 ? 0 : -received, 'part', context),
    ...(rest === 0 ? [] : [makeLine('dueRest', copy.rest, rest, 'part', context)]),
    makeLine('amountDue', formatLabel('amountDue'), left, 'total', context),
  ]
}

/**
 * Builds the line of a refund. Records do not contain the amount of a partial refund.
 *
 * @param amount the amount of a full refund, in minor units
 */
function makeRefundLine(status: unknown, amount: number | undefined, context: EntryContext): Charge[] {
  if (status === 'refunded')
    return [
      {
        key: 'refunded',
        label: copy.refunded,
        text: amount === undefined ? copy.refundedAll : formatAmount('amount', amount, context),
        role: 'info',
        details: [],
      },
    ]
  if (status !== 'partial_refund') return []
  return [{ key: 'refunded', label: copy.refunded, text: copy.refundedPart, role: 'info', details: [] }]
}

/**
 * Builds the lines of the payment breakdown and takes their members. `Role` defines how the lines add up.
 *
 * @param status the record's status
 * @param prices the result of `readPrices`
 */
export function takeCharges(members: Members, status: unknown, prices: Prices, context: EntryContext): Charge[] {
  const isRecurring = members.at('interval') !== undefined || members.at('setupFeeTotal') !== undefined
  const setup = isRecurring ? setupFeeCharges(members, context) : []
  const amount = asNumber(members.take('amount')?.value)
  const paid = asNumber(members.at('amountPaid'))
  const custom = takeMemberLine(members, 'dynamicPrice', 'part', context, { startsSum: true })
  const items = prices.items === undefined ? [] : [makeLine('items', copy.items, prices.items, 'part', context, { startsSum: true })]
  const extra = (key: 'options' | 'bookingFees') => (prices[key] === 0 ? [] : [makeLine(key, copy[key], prices[key], 'part', context)])
  // `amountOff` is the discount on each item.
  const [discount, factor] = typeof members.at('discount.amount') === 'number' ? ['amount', -1] : ['amountOff', -prices.quantity]
  const groups: Group[] = [
    custom.length > 0 ? [] : extra('options'),
    extra('bookingFees'),
    takeMemberLine(members, 'setupFee', 'part', context),
    takeObjectLine(members, 'discount', copy.discount, [discount], factor, context),
    couponCharge(members, context),
    feeCharges(members, 'fees', context),
    taxCharges(members, context),
  ]
  const excluding = takeMemberLine(members, 'amountExcludingTax', 'info', context)
  const inDollars = takeMemberLine(members, 'amountUsd', 'info', context)
  if (amount === undefined) {
    const lines = groups.flat().map((charge): Charge => ({ ...charge, role: 'info' }))
    return [...setup, ...lines, ...excluding, ...makeRefundLine(status, undefined, context), ...inDollars]
  }
  const total = makeLine('amount', formatLabel('amount'), amount, 'total', context)
  return [
    ...setup,
    ...addUp(custom.length > 0 ? custom : items, groups, total, context),
    ...paidCharges(members, amount, context),
    ...makeRefundLine(status, paid || amount, context),
    ...excluding,
    ...inDollars,
  ]
}
