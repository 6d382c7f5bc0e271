/** How an amount came about: what was taken off, fees, taxes with their rates, the total, and what of it was paid. */
import { recordWords } from '@/app/copy/record'
import { asNumber, asText, type Entry, type EntryContext, labelOf, makeEntries, money } from './entries'
import type { Member, Members } from './members'

export type Charge = {
  key: string
  label: string
  text: string
  /** What the others add up to. */
  total?: true
  href?: string
  details: Entry[]
}

const words = recordWords.charges

/** A line of one member; none where the record lacks it. */
function single(members: Members, path: string, context: EntryContext, more: Partial<Charge> = {}): Charge[] {
  const amount = asNumber(members.at(path))
  if (amount === undefined) return []
  members.take(path)
  return [{ key: path, label: labelOf(path), text: money(path, amount, context), details: [], ...more }]
}

/** A line of an object: the first of these members is its amount, and the others are told beside it. */
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
      // Never a negative nothing.
      text: amount === undefined ? '' : money(path, off && amount !== 0 ? -amount : amount, context),
      details: makeEntries(rest, context),
    },
  ]
}

const list = (members: Members, path: string, line: (path: string) => Charge[]) =>
  Array.from({ length: members.count(path) }, (_, at) => line(`${path}[${at}]`)).flat()

function couponCharge(members: Members, context: EntryContext): Charge[] {
  const code = asText(members.at('coupon.code'))
  const label = code === undefined ? words.coupon : `${words.coupon} ${code}`
  if (code !== undefined) members.take('coupon.code')
  return grouped(members, 'coupon', label, ['discount', 'amountOff'], true, context).map((charge) => ({
    ...charge,
    ...(code === undefined ? {} : { href: `/coupons?search=${encodeURIComponent(code)}` }),
  }))
}

function feeCharges(members: Members, path: string, context: EntryContext): Charge[] {
  return list(members, path, (one) => {
    const name: Member | undefined = members.take(`${one}.name`)
    return grouped(members, one, asText(name?.value) ?? words.fee, ['amount'], false, context)
  })
}

function taxCharges(members: Members, context: EntryContext): Charge[] {
  return list(members, 'taxBreakdown', (one) => {
    const type = members.take(`${one}.taxType`) ?? members.take(`${one}.taxRateDetails.taxType`)
    if (type && members.at(`${one}.taxRateDetails.taxType`) === type.value) members.take(`${one}.taxRateDetails.taxType`)
    return grouped(members, one, asText(type?.value)?.toUpperCase() ?? words.tax, ['taxAmount'], false, context)
  })
}

/** A record does not say how much was given back, only whether some or all of it was. */
function refunded(status: unknown): Charge[] {
  const text = status === 'refunded' ? words.refundedAll : status === 'partial_refund' ? words.refundedPart : undefined
  return text ? [{ key: 'refunded', label: words.refunded, text, details: [] }] : []
}

/** Takes the members of an amount. @param status of the record, which stands elsewhere too */
export function takeCharges(members: Members, status: unknown, context: EntryContext): Charge[] {
  const paid = members.take('setupFeeInvoiceItemPaid')
  const setupFee = single(members, 'setupFee', context, {
    details: makeEntries([members.take('setupFeeInvoiceItemId'), paid], context),
  })
  return [
    ...single(members, 'dynamicPrice', context),
    ...grouped(members, 'discount', words.discount, ['amount', 'amountOff'], true, context),
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
