/** Loads a record for its page and for the drawer next to its table. */
import { recordCopy } from '@/app/copy/record'
import { type CheckoutPage, listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { mayUse } from '@/lib/accounts/roles'
import type { SessionUser } from '@/lib/accounts/sessions'
import { type ResourceName, resources } from '@/lib/catalog'
import { MAX_SEARCH } from '@/lib/catalog/list-params'
import { formatMoney } from '@/lib/core/money'
import { OBJECT_ID } from '@/lib/core/object-id-pattern'
import { findRecord } from '@/lib/listing/find-record'
import { findProductNames } from '@/lib/listing/product-names'
import { findFailure, readActivity } from '@/lib/reports/activity'
import { mergeTimeline, type TimelineEntry } from './timeline'
import { makeView, type RecordView } from './view'

export type JsonRecord = Record<string, unknown>

/** Returns a member if it is a non-empty string, otherwise undefined. */
export const getString = (record: JsonRecord, name: string) =>
  typeof record[name] === 'string' && record[name] !== '' ? record[name] : undefined

/** Returns the path of a record's customer, falling back to a customer search for the record's email address. */
export async function findCustomerHref(sellerId: string, record: JsonRecord): Promise<string | undefined> {
  const [id = '', email = ''] = ['customerId', 'customerEmail'].map((name) => getString(record, name))
  if (OBJECT_ID.test(id) && (await findRecord(resources.customers, sellerId, id)) !== undefined) return `/customers/${id.toLowerCase()}`
  return email && [...email].length <= MAX_SEARCH ? `/customers?search=${encodeURIComponent(email)}` : undefined
}

/** The members of an order, a subscription or a coupon that contain the IDs used in the payment gateway's events. */
const GATEWAY_IDS = ['gatewayPaymentIntentId', 'gatewayChargeId', 'gatewaySubscriptionId', 'gatewayCouponId', 'invoiceId']

function loadActivity(sellerId: string, resource: ResourceName, record: JsonRecord) {
  const gatewayIdMembers = resource === 'customers' ? ['gatewayCustomerId'] : GATEWAY_IDS
  return readActivity(sellerId, {
    resource,
    id: String(record.id),
    orderId: getString(record, 'orderId'),
    gatewayIds: gatewayIdMembers.flatMap((name) => getString(record, name) ?? []),
  })
}

/** Formats the figure in a record's header: an order's amount or a coupon's discount. */
function formatHeadline({ amount, amountOff, percentOff }: JsonRecord, currency: string | undefined): string | undefined {
  if (typeof amount === 'number') return formatMoney(amount, currency)
  if (typeof percentOff === 'number') return recordCopy.off(`${percentOff}%`)
  return typeof amountOff === 'number' ? recordCopy.off(formatMoney(amountOff, currency)) : undefined
}

function getPersonName({ billing, customerEmail }: JsonRecord): string | undefined {
  const name = (billing as JsonRecord | undefined)?.name || customerEmail
  return typeof name === 'string' && name !== '' ? name : undefined
}

export type LoadedRecord<More> = {
  /** The record as the API returns it. */
  json: string
  record: JsonRecord
  view: RecordView
  timeline: TimelineEntry[]
  /** An order's amount or a coupon's discount, formatted. */
  amount: string | undefined
  /** The customer's name or email address, or a coupon's label. */
  person: string | undefined
  /** The path of the customer's page or of a search for the customer. */
  customerHref: string | undefined
  pages: CheckoutPage[]
  /** The result of `readMore`. */
  more: More
}

/**
 * Returns a record with its view and its timeline, or undefined if the seller has no such record.
 *
 * @param readMore reads additional data in parallel
 */
export async function loadRecord<More>(
  { sellerId, timeZone, role, userId }: SessionUser,
  name: ResourceName,
  id: string,
  readMore: (record: JsonRecord) => Promise<More>,
): Promise<LoadedRecord<More> | undefined> {
  const json = OBJECT_ID.test(id) ? await findRecord(resources[name], sellerId, id) : undefined
  if (json === undefined) return undefined
  const record = JSON.parse(json) as JsonRecord
  const [pages, customerHref, productNames, activity, more] = await Promise.all([
    listCheckoutPages(sellerId),
    findCustomerHref(sellerId, record),
    findProductNames(sellerId, [getString(record, 'productId')]),
    loadActivity(sellerId, name, record),
    readMore(record),
  ])
  const currency = getString(record, 'currency')
  const view = makeView(name, record, {
    timeZone,
    currency,
    pageNames: toPageNames(pages),
    productNames,
    failedAt: findFailure(activity),
  })
  const canDeleteAny = mayUse(role, 'settings')
  const timeline = mergeTimeline(view.events, activity, (note) => canDeleteAny || note.userId === userId)
  return {
    json,
    record,
    view,
    timeline,
    amount: formatHeadline(record, currency),
    person: getPersonName(record) ?? getString(record, 'label'),
    customerHref,
    pages,
    more,
  }
}
