/** The summary of orders for bookkeeping: decimal amounts, local times, names of products and events, and totals per currency. */
import { memberAt } from '../catalog/columns'
import { isSold, type Resource } from '../catalog/resource'
import { toDecimal } from '../core/money'
import { clockIn, dayIn } from '../core/time'
import type { CsvLayout } from './csv-export'

type Order = Record<string, unknown>

const COLUMNS = ['Date', 'Time', 'Order', 'Status', 'Customer', 'Email', 'Product or event', 'Method', 'Mode', 'Currency']
const AMOUNTS = ['net', 'tax', 'fees', 'gross', 'paid', 'refunded'] as const
type Amounts = Record<(typeof AMOUNTS)[number], number | undefined>

/** The statuses of orders that count in the totals. */
const COMPLETED = ['paid', 'partial_refund', 'refunded']

const numberAt = (record: Order, member: string) => (typeof record[member] === 'number' ? record[member] : undefined)
const sumOf = (list: unknown, member: string) =>
  Array.isArray(list) ? list.reduce((sum: number, item) => sum + (numberAt(item as Order, member) ?? 0), 0) : 0

/** A negative amount is a number: text that begins with a minus sign would be marked as a formula. */
const toCell = (amount: string) => (amount.startsWith('-') ? Number(amount) : amount)

/** Returns the tax of an order: its total if the record has it, otherwise what its breakdown or its amount excluding tax says. */
function taxOf(record: Order, gross: number): number {
  const excluding = numberAt(record, 'amountExcludingTax')
  return numberAt(record, 'taxAmount') ?? (sumOf(record.taxBreakdown, 'taxAmount') || (excluding === undefined ? 0 : gross - excluding))
}

/** Returns the amounts of an order in minor units, of which net, tax and fees add up to gross. A partial refund is not reported. */
export function amountsOf(record: Order): Amounts {
  const gross = numberAt(record, 'amount') ?? 0
  const [tax, fees] = [taxOf(record, gross), sumOf(record.fees, 'amount')]
  const status = String(record.status)
  const paid = numberAt(record, 'amountPaid') ?? (COMPLETED.includes(status) ? gross : 0)
  const refunded = status === 'refunded' ? gross : status === 'partial_refund' ? undefined : 0
  return { net: gross - tax - fees, tax, fees, gross, paid, refunded }
}

/**
 * Returns the layout of the summary. Its last rows are the totals of each currency: of paid and refunded live orders.
 *
 * @param timeZone the shop's time zone
 * @param pageNames the names of products and events, by ID
 * @returns undefined if the resource has no orders
 */
export function summaryLayout(resource: Resource, timeZone: string, pageNames: ReadonlyMap<string, string>): CsvLayout | undefined {
  if (!isSold(resource)) return undefined
  const totals = new Map<string, { orders: number; sums: Map<string, number> }>()
  const formatAll = (amounts: Partial<Amounts>, currency: string) =>
    AMOUNTS.map((name) => (amounts[name] === undefined ? undefined : toCell(toDecimal(amounts[name], currency))))
  return {
    head: [...COLUMNS, 'Net', 'Tax', 'Fees', 'Gross', 'Paid', 'Refunded'],
    toRow: (record) => {
      const created = new Date(String(record.createdAt))
      const currency = String(record.currency ?? '').toUpperCase()
      const amounts = amountsOf(record)
      const isLive = record.livemode !== false
      if (isLive && COMPLETED.includes(String(record.status))) {
        const total = totals.get(currency) ?? { orders: 0, sums: new Map() }
        total.orders += 1
        for (const name of AMOUNTS) total.sums.set(name, (total.sums.get(name) ?? 0) + (amounts[name] ?? 0))
        totals.set(currency, total)
      }
      const pageId = String(record.pageId ?? '')
      return [
        dayIn(timeZone, created),
        clockIn(timeZone, created),
        record.orderId,
        record.status,
        memberAt(record, 'billing.name'),
        record.customerEmail,
        pageNames.get(pageId) ?? pageId,
        memberAt(record, 'paymentMethod.method'),
        isLive ? 'live' : 'test',
        currency,
        ...formatAll(amounts, currency),
      ]
    },
    foot: () =>
      [...totals].map(([currency, { orders, sums }]) => [
        `Total of ${orders} paid or refunded live orders`,
        ...COLUMNS.slice(1, -1).map(() => undefined),
        currency,
        ...formatAll(Object.fromEntries(sums), currency),
      ]),
  }
}
