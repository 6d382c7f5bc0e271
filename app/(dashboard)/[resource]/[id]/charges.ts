/** Builds the payment breakdown: discounts, fees, taxes with their rates, the total, and the paid and due amounts. */
import { recordCopy } from '@/app/copy/record'
import { asNumber, asText, type Entry, type EntryContext, formatLabel, makeEntries, money } from './entries'
import type { Member, Members } from './members'

export type Charge = {
  key: string
  label: string
  text: string
  /** True for the line with the total. */
  total?: true
  href?: string
  details: Entry[]
}

const copy = recordCopy.charges

/** Builds a line from one member. Returns an empty array if the record does not have the member. */
function single(members: Members, path: string, context: EntryContext, more: Partial<Charge> = {}): Charge[] {
  const amount = asNumber(members.at(path))
  if (amount === undefined) return []
  members.take(path)
  return [{ key: path, label: formatLabel(path), text: money(path, amount, context), details: [], ...more }]
}

/** Builds a line from an object. The first existing member of `amounts` is the line's amount; the object's other members are details. */
function grouped(members: Members, path: string, label: string, amounts: string[], off: boolean, context: EntryContext): Charge[] {
  const amount = amounts.map((name) => members.at(`${path}.${name}`)).find((value): value is number => typeof value === 'number')
  const taken = amounts.find((name) => typeof members.at(`${path}.${name}`) === 'number')
  if (taken) members.take(`${path}.${taken}`)
  const rest = members.takeUnder(path)
  if (amount === undefined && rest.length === 0) return []
  return [
    {
      key: path,
      label,
      // Avoids "-€0.00".
      text: amount === undefined ? '' : money(path, off && amount !== 0 ? -amount : amount, context),
      details: makeEntries(rest, context),
    },
  ]
}

const list = (members: Members, path: string, line: (path: string) => Charge[]) =>
  Array.from({ length: members.count(path) }, (_, at) => line(`${path}[${at}]`)).flat()

function couponCharge(members: Members, context: EntryContext): Charge[] {
  const code = asText(members.at('coupon.code'))
  const label = code === undefined ? copy.coupon : `${copy.coupon} ${code}`
  if (code !== undefined) members.take('coupon.code')
  return grouped(members, 'coupon', label, ['discount', 'amountOff'], true, context).map((charge) => ({
    ...charge,
    ...(code === undefined ? {} : { href: `/coupons?search=${encodeURIComponent(code)}` }),
  }))
}

function feeCharges(members: Members, path: string, context: EntryContext): Charge[] {
  return list(members, path, (one) => {
    const name: Member | undefined = members.take(`${one}.name`)
    return grouped(members, one, asText(name?.value) ?? copy.fee, ['amount'], false, context)
  })
}

function taxCharges(members: Members, context: EntryContext): Charge[] {
  return list(members, 'taxBreakdown', (one) => {
    const type = members.take(`${one}.taxType`) ?? members.take(`${one}.taxRateDetails.taxType`)
    if (type && members.at(`${one}.taxRateDetails.taxType`) === type.value) members.take(`${one}.taxRateDetails.taxType`)
    return grouped(members, one, asText(type?.value)?.toUpperCase() ?? copy.tax, ['taxAmount'], false, context)
  })
}

/** Builds the refund line. Records do not store the refunded amount, only whether the refund is full or partial. */
function refunded(status: unknown): Charge[] {
  const text = status === 'refunded' ? copy.refundedAll : status === 'partial_refund' ? copy.refundedPart : undefined
  return text ? [{ key: 'refunded', label: copy.refunded, text, details: [] }] : []
}

/** Builds the lines of the payment breakdown. @param status the record's status */
export function takeCharges(members: Members, status: unknown, context: EntryContext): Charge[] {
  const paid = members.take('setupFeeInvoiceItemPaid')
  const setupFee = single(members, 'setupFee', context, {
    details: makeEntries([members.take('setupFeeInvoiceItemId'), paid], context),
  })
  return [
    ...single(members, 'dynamicPrice', context),
    ...grouped(members, 'discount', copy.discount, ['amount', 'amountOff'], true, context),
    ...couponCharge(members, context),
    ...setupFee,
    ...single(members, 'setupFeeDiscountAmount', context),
    ...feeCharges(members, 'setupFeeFees', context),
    ...single(members, 'setupFeeTotal', context),
    ...single(members, 'setupFeeUsd', context),
    ...feeCharges(members, 'fees', context),
    ...single(members, 'amountExcludingTax', context),
    ...taxCharges(members, context),
    ...single(members, 'taxAmount', context),
    ...single(members, 'amount', context, { total: true }),
    ...single(members, 'amountPaid', context),
    ...single(members, 'amountDue', context),
    ...refunded(status),
    ...single(members, 'amountUsd', context),
  ]
}
