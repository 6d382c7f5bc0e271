/** Summarizes on one line how an order was paid for: "Amex •••• 8069 · exp. 01/2027 · Apple Pay". */
import { statusLabel } from '@/app/_components/cells'
import { recordCopy } from '@/app/copy/record'
import { type Entry, type EntryContext, formatMember, makeEntry } from './entries'
import type { Members } from './members'

const METHOD_LABELS: Readonly<Record<string, string>> = recordCopy.paymentMethods

/**
 * Takes the members that the line shows, so that they are not listed again. Returns an entry for the payment method and one for the
 * seller's own payment option, if the order has them.
 */
export function takePaymentMethod(members: Members, context: EntryContext): Entry[] {
  const option = members.take('paymentOption.name')
  const options = option ? [{ ...makeEntry(option, context), label: recordCopy.paymentOption }] : []
  const last4 = members.take('paymentMethod.last4')
  const method = members.take('paymentMethod.method')
  const wallet = members.take('paymentMethod.wallet')
  const [brand, month, year] = last4
    ? ['brand', 'exp_month', 'exp_year'].map((name) => members.take(`paymentMethod.${name}`)?.value)
    : [undefined, undefined, undefined]
  const name = method && (METHOD_LABELS[String(method.value)] ?? statusLabel(String(method.value)))
  const isCard = method === undefined || method.value === 'card'
  // For methods other than cards, `last4` contains the last four digits of an account number.
  const account = brand === undefined ? (isCard ? recordCopy.card : name) : statusLabel(String(brand))
  const parts = [
    last4 && !isCard && brand !== undefined ? name : undefined,
    last4 ? `${account} •••• ${last4.value}` : name,
    // The record may contain only the month or only the year.
    month !== undefined || year !== undefined ? recordCopy.cardExpires(String(month ?? '–'), String(year ?? '–')) : undefined,
    wallet && formatMember(wallet, context),
  ]
  const text = parts.filter(Boolean).join(' · ')
  return text === '' ? options : [{ path: 'paymentMethod', label: recordCopy.paymentMethod, text }, ...options]
}
