/** Builds the payment breakdown: the items, discounts, fees and taxes that make up the total, then the amounts paid and due. */
import { recordCopy } from '@/app/copy/record'
import { asNumber, asText, type Entry, type EntryContext, formatAmount, formatLabel, makeEntries } from './entries'
import { findSum } from './find-sum'
import { listItemPaths } from './lines'
import type { Member, Members } from './members'

/**
 * `part`: added to the next total. `total`: the previous total plus the parts since then, or, after a line with `startsSum`, only the parts
 * from that line on. `included`: already included in the prices. `info`: not part of a sum.
 */
export type Role = 'part' | 'total' | 'included' | 'info'

/** A line of the payment breakdown. */
export type Charge = {
  /** Unique within a record. */
  key: string
  /** The path of the line's member. Absent for computed lines. */
  path?: string
  label: string
  /** The formatted amount, or text such as "Fully refunded" if the amount is unknown. Empty for lines without an amount. */
  text: string
  role: Role
  /** In minor units of the record's currency, or of US dollars for members such as `amountUsd`. Absent if unknown, and for refunds. */
  amount?: number
  /** Whether this line starts a new sum. */
  startsSum?: true
  href?: string
  /** Members shown below the line. */
  details: Entry[]
}

const copy = recordCopy.charges

/** Lines that are either all included in the prices or all added to them. Records do not say which. */
type Group = Charge[]

const sumAmounts = (lines: readonly Charge[]) => lines.reduce((sum, { amount = 0 }) => sum + amount, 0)

type LineArguments = [key: string, label: string, amount: number, role: Role, context: EntryContext, more?: Partial<Charge>]

function makeComputedLine(...[key, label, amount, role, context, more]: LineArguments): Charge {
  // -0 + 0 is 0, which avoids "-€0.00".
  return { key, label, text: formatAmount(key, amount + 0, context), role, amount, details: [], ...more }
}

/** Builds the line of a member. The key is the member's path. */
const makeLine = (...line: LineArguments): Charge => ({ ...makeComputedLine(...line), path: line[0] })

/** Takes a member with an amount and builds its line. Returns an empty array if the record lacks the member. */
function takeMemberLine(members: Members, path: string, role: Role, context: EntryContext, more: Partial<Charge> = {}): Charge[] {
  const amount = asNumber(members.at(path))
  if (amount === undefined) return []
  members.take(path)
  return [makeLine(path, formatLabel(path), amount, role, context, more)]
}

/**
 * Takes the members of an object and builds its line. The amount is the first member in `amountNames` that the object has. All other
 * members become details.
 *
 * @param factor what the amount is multiplied by; negative if the amount is subtracted
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

function takeCouponLines(members: Members, context: EntryContext): Charge[] {
  const code = asText(members.at('coupon.code'))
  const label = code === undefined ? copy.coupon : `${copy.coupon} ${code}`
  if (code !== undefined) members.take('coupon.code')
  return takeObjectLine(members, 'coupon', label, ['discount', 'amountOff'], -1, context).map((charge) => ({
    ...charge,
    ...(code === undefined ? {} : { href: `/coupons?search=${encodeURIComponent(code)}` }),
  }))
}

const takeFeeLines = (members: Members, path: string, context: EntryContext): Charge[] =>
  listItemPaths(members, path).flatMap((fee) => {
    const name: Member | undefined = members.take(`${fee}.name`)
    return takeObjectLine(members, fee, asText(name?.value) ?? copy.fee, ['amount'], 1, context)
  })

/** Builds a line for each tax rate, and one for any tax that the rates do not account for. */
function takeTaxLines(members: Members, context: EntryContext): Charge[] {
  const rates = listItemPaths(members, 'taxBreakdown').flatMap((rate) => {
    const type = members.take(`${rate}.taxType`) ?? members.take(`${rate}.taxRateDetails.taxType`)
    if (type && members.at(`${rate}.taxRateDetails.taxType`) === type.value) members.take(`${rate}.taxRateDetails.taxType`)
    return takeObjectLine(members, rate, asText(type?.value)?.toUpperCase() ?? copy.tax, ['taxAmount'], 1, context)
  })
  const total = asNumber(members.take('taxAmount')?.value)
  const otherTax = total === undefined ? 0 : total - sumAmounts(rates)
  if (rates.length === 0) return total === undefined ? [] : [makeLine('taxAmount', formatLabel('taxAmount'), total, 'part', context)]
  return otherTax === 0 ? rates : [...rates, makeLine('taxAmount', copy.otherTax, otherTax, 'part', context)]
}

/** An order's price totals, in minor units, and its quantity. */
type Prices = {
  /** The prices of the product and the tickets. Undefined if the order contains none. */
  items: number | undefined
  /** The surcharges for selected variant options. */
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

/** Returns the lines of a sum: the prices, the added charges, any difference, the total, and the charges already included. */
function buildSum(prices: Charge[], groups: Group[], total: Charge, context: EntryContext): Charge[] {
  const target = total.amount ?? 0
  const nonEmptyGroups = groups.filter((lines) => lines.length > 0)
  if (prices.length === 0) {
    // Without prices, the subtotal is the total minus the known charges.
    const lines = nonEmptyGroups.flat()
    const amount = target - sumAmounts(lines)
    const subtotal =
      lines.length > 0 ? [makeComputedLine(`${total.key}Subtotal`, copy.subtotal, amount, 'part', context, { startsSum: true })] : []
    return [...subtotal, ...lines, { ...total, ...(lines.length > 0 ? {} : { startsSum: true as const }) }]
  }
  const { added, remainder } = findSum(sumAmounts(prices), nonEmptyGroups.map(sumAmounts), target)
  const parts = nonEmptyGroups.flatMap((lines, index) => (added[index] ? lines : []))
  const included = nonEmptyGroups.flatMap((lines, index) => (added[index] ? [] : lines))
  return [
    ...prices,
    ...parts,
    ...(remainder === 0 ? [] : [makeComputedLine(`${total.key}Adjustment`, copy.adjustments, remainder, 'part', context)]),
    total,
    ...included.map((charge): Charge => ({ ...charge, role: 'included' })),
  ]
}

/** Builds the lines of a subscription's setup fee. If the record contains the fee's total, they add up to it. */
function takeSetupFeeLines(members: Members, context: EntryContext): Charge[] {
  const paid = members.take('setupFeeInvoiceItemPaid')
  const details = makeEntries([members.take('setupFeeInvoiceItemId'), paid], context)
  const fee = takeMemberLine(members, 'setupFee', 'part', context, { details, startsSum: true })
  const discount = members.take('setupFeeDiscountAmount')
  const amountOff = asNumber(discount?.value) ?? 0
  const fees = takeFeeLines(members, 'setupFeeFees', context)
  const discounts =
    amountOff === 0 ? [] : [makeLine('setupFeeDiscountAmount', formatLabel('setupFeeDiscountAmount'), -amountOff, 'part', context)]
  const [total] = takeMemberLine(members, 'setupFeeTotal', 'total', context)
  const amountInUsd = takeMemberLine(members, 'setupFeeUsd', 'info', context)
  if (!total) return [...fee, ...discounts, ...fees, ...amountInUsd].map((charge) => ({ ...charge, role: 'info' }))
  return [...buildSum(fee, [discounts, fees], total, context), ...amountInUsd]
}

/**
 * Takes the amounts paid and due, and returns the lines after the total: the amount paid, any difference, and the amount due. Returns an
 * empty array if the record contains neither amount.
 *
 * @param amount the total, in minor units
 */
function takePaymentLines(members: Members, amount: number, context: EntryContext): Charge[] {
  const [paid, due] = ['amountPaid', 'amountDue'].map((path) => asNumber(members.take(path)?.value))
  if (paid === undefined && due === undefined) return []
  const received = paid ?? amount - (due ?? 0)
  const remaining = due ?? amount - received
  const difference = remaining - (amount - received)
  return [
    makeLine('amountPaid', formatLabel('amountPaid'), received === 0 ? 0 : -received, 'part', context),
    ...(difference === 0 ? [] : [makeComputedLine('dueAdjustment', copy.adjustments, difference, 'part', context)]),
    makeLine('amountDue', formatLabel('amountDue'), remaining, 'total', context),
  ]
}

/**
 * Builds the refund line. Records do not contain the amount of a partial refund.
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
  const setupFeeLines = isRecurring ? takeSetupFeeLines(members, context) : []
  const amount = asNumber(members.take('amount')?.value)
  const paid = asNumber(members.at('amountPaid'))
  const customPrice = takeMemberLine(members, 'dynamicPrice', 'part', context, { startsSum: true })
  const items =
    prices.items === undefined ? [] : [makeComputedLine('items', copy.items, prices.items, 'part', context, { startsSum: true })]
  const makeExtraLine = (key: 'options' | 'bookingFees') =>
    prices[key] === 0 ? [] : [makeComputedLine(key, copy[key], prices[key], 'part', context)]
  // `amountOff` is per item.
  const [discount, factor] = typeof members.at('discount.amount') === 'number' ? ['amount', -1] : ['amountOff', -prices.quantity]
  const groups: Group[] = [
    customPrice.length > 0 ? [] : makeExtraLine('options'),
    makeExtraLine('bookingFees'),
    takeMemberLine(members, 'setupFee', 'part', context),
    takeObjectLine(members, 'discount', copy.discount, [discount], factor, context),
    takeCouponLines(members, context),
    takeFeeLines(members, 'fees', context),
    takeTaxLines(members, context),
  ]
  const amountBeforeTax = takeMemberLine(members, 'amountExcludingTax', 'info', context)
  const amountInUsd = takeMemberLine(members, 'amountUsd', 'info', context)
  if (amount === undefined) {
    const lines = groups.flat().map((charge): Charge => ({ ...charge, role: 'info' }))
    return [...setupFeeLines, ...lines, ...amountBeforeTax, ...makeRefundLine(status, undefined, context), ...amountInUsd]
  }
  const total = makeLine('amount', formatLabel('amount'), amount, 'total', context)
  return [
    ...setupFeeLines,
    ...buildSum(customPrice.length > 0 ? customPrice : items, groups, total, context),
    ...takePaymentLines(members, amount, context),
    ...makeRefundLine(status, paid || amount, context),
    ...amountBeforeTax,
    ...amountInUsd,
  ]
}
