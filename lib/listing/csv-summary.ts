/** Lays out the summary of orders for bookkeeping: decimal amounts, local times, names of products and events, and totals per currency. */
import { memberAt } from '../catalog/columns'
import { PARTIALLY_PAID } from '../catalog/order'
import { hasRevenue, type Resource } from '../catalog/resource'
import { toDecimal } from '../core/money'
import { dayIn, timeOfDayIn } from '../core/time'
import type { CsvLayout } from './csv-export'

type Order = Record<string, unknown>

const COLUMNS = ['Date', 'Time', 'Order', 'Status', 'Customer', 'Email', 'Product or event', 'Method', 'Mode', 'Currency']
const AMOUNTS = ['net', 'tax', 'fees', 'gross', 'paid', 'refunded'] as const
/** Amounts in minor units. Undefined means unknown. */
type Amounts = Record<(typeof AMOUNTS)[number], number | undefined>

/** The statuses of orders that were paid in full. Partially paid orders have separate totals. */
const COMPLETED = ['paid', 'partial_refund', 'refunded']

/** A total of live orders in one currency. `kind` describes them in its label, such as `paid or refunded`. */
type Total = { kind: string; currency: string; orders: number; partialRefunds: number; sums: Amounts }

const formatLabel = ({ kind, orders, partialRefunds }: Total) =>
  `Total of ${orders} ${kind} live order${orders === 1 ? '' : 's'}${partialRefunds > 0 ? `, including ${partialRefunds} partially refunded (refunded amount unknown)` : ''}`

const numberAt = (record: Order, member: string) => (typeof record[member] === 'number' ? record[member] : undefined)
const sumMember = (list: unknown, member: string) =>
  Array.isArray(list) ? list.reduce((sum: number, item) => sum + (numberAt(item as Order, member) ?? 0), 0) : 0

/** Returns a negative amount as a number, because text that starts with a minus sign would be escaped as a formula. */
const toCell = (amount: string) => (amount.startsWith('-') ? Number(amount) : amount)

/** Returns an order's tax: its `taxAmount` if present, otherwise computed from its breakdown or its amount excluding tax, or else 0. */
function computeTax(record: Order, gross: number): number {
  const excluding = numberAt(record, 'amountExcludingTax')
  return numberAt(record, 'taxAmount') ?? (sumMember(record.taxBreakdown, 'taxAmount') || (excluding === undefined ? 0 : gross - excluding))
}

/**
 * Returns an order's amounts in minor units. Net, tax and fees add up to gross. `refunded` is undefined for a partial refund; for a full
 * one, it is the amount paid, which is the gross amount if `amountPaid` is absent or 0, because some services set it to 0 on a refund.
 */
export function computeAmounts(record: Order): Amounts {
  const gross = numberAt(record, 'amount') ?? 0
  const [tax, fees] = [computeTax(record, gross), sumMember(record.fees, 'amount')]
  const status = String(record.status)
  const amountPaid = numberAt(record, 'amountPaid')
  const paid = status === 'refunded' ? amountPaid || gross : (amountPaid ?? (COMPLETED.includes(status) ? gross : 0))
  const refunded = status === 'refunded' ? paid : status === 'partial_refund' ? undefined : 0
  return { net: gross - tax - fees, tax, fees, gross, paid, refunded }
}

/**
 * Returns the layout of the summary. Its last rows are totals of live orders per currency, with separate totals for partially paid orders.
 *
 * @param timeZone the shop's time zone
 * @param pageNames the names of products and events, by ID
 * @param findNames returns the names of products by ID, for orders whose checkout page is unknown
 * @returns undefined if the records of the resource are not one-time orders
 */
export function summaryLayout(
  resource: Resource,
  timeZone: string,
  pageNames: ReadonlyMap<string, string>,
  findNames: (productIds: string[]) => Promise<ReadonlyMap<string, string>>,
): CsvLayout | undefined {
  if (!hasRevenue(resource)) return undefined
  const totals = new Map<string, Total>()
  let productNames: ReadonlyMap<string, string> = new Map()
  function count(record: Order, amounts: Amounts, currency: string) {
    const status = String(record.status)
    const kind = COMPLETED.includes(status) ? 'paid or refunded' : status === PARTIALLY_PAID ? 'partially paid' : undefined
    if (kind === undefined || record.livemode === false) return
    const sums = { net: 0, tax: 0, fees: 0, gross: 0, paid: 0, refunded: 0 }
    const total = totals.get(`${kind} ${currency}`) ?? { kind, currency, orders: 0, partialRefunds: 0, sums }
    total.orders += 1
    if (amounts.refunded === undefined) total.partialRefunds += 1
    for (const name of AMOUNTS) total.sums[name] = (total.sums[name] ?? 0) + (amounts[name] ?? 0)
    totals.set(`${kind} ${currency}`, total)
  }
  const formatAll = (amounts: Amounts, currency: string) =>
    AMOUNTS.map((name) => (amounts[name] === undefined ? undefined : toCell(toDecimal(amounts[name], currency))))
  return {
    head: [...COLUMNS, 'Net', 'Tax', 'Fees', 'Gross', 'Paid', 'Refunded'],
    prepare: async (records) => {
      const unnamed = records.filter(({ pageId }) => !pageNames.has(String(pageId)))
      productNames = await findNames(unnamed.flatMap(({ productId }) => (typeof productId === 'string' ? [productId] : [])))
    },
    toRow: (record) => {
      const created = new Date(String(record.createdAt))
      const currency = String(record.currency ?? '').toUpperCase()
      const amounts = computeAmounts(record)
      count(record, amounts, currency)
      const pageId = String(record.pageId ?? '')
      return [
        dayIn(timeZone, created),
        timeOfDayIn(timeZone, created),
        record.orderId,
        record.status,
        memberAt(record, 'billing.name'),
        record.customerEmail,
        pageNames.get(pageId) ?? productNames.get(String(record.productId)) ?? pageId,
        memberAt(record, 'paymentMethod.method'),
        record.livemode === false ? 'test' : 'live',
        currency,
        ...formatAll(amounts, currency),
      ]
    },
    foot: () =>
      [...totals.values()].map((total) => [
        formatLabel(total),
        ...COLUMNS.slice(1, -1).map(() => undefined),
        total.currency,
        ...formatAll(total.sums, total.currency),
      ]),
  }
}
