/** A record's page as data: every member in its place, what no section asks for in the last one. */
import { statusWords } from '@/app/_components/cells'
import { recordWords } from '@/app/copy/record'
import type { ResourceName } from '@/lib/catalog'
import { type Charge, takeCharges } from './charges'
import { asText, type Entry, type EntryContext, isInstant, makeEntries, makeEntry } from './entries'
import { type Line, takeLines } from './lines'
import { type Members, readMembers } from './members'

export type Event = { name: string; label: string; at: string; details: Entry[] }

type GroupName = keyof typeof recordWords.groups
export type Group = { name: GroupName; title: string; entries: Entry[] }

export type RecordView = {
  title: string
  status: string | undefined
  test: boolean
  /** Whose everything can be looked at. */
  email: string | undefined
  events: Event[]
  customer: Entry[]
  lines: Line[]
  charges: Charge[]
  groups: Group[]
}

const EVENTS = Object.keys(recordWords.events) as (keyof typeof recordWords.events)[]

/** What is told with an event, where it happened. */
const EVENT_DETAILS: Readonly<Record<string, string[]>> = {
  canceledAt: ['canceledBy', 'canceledReason', 'reason'],
  currentPeriodEnd: ['cancelAtPeriodEnd'],
  abandonedCartEmailSentAt: ['abandonedCartEmailStatus'],
}

/** The record's instants, in the order in which they come. */
function takeEvents(members: Members, context: EntryContext): Event[] {
  return EVENTS.flatMap((name) => {
    const at = members.at(name)
    // A canceled order's instant is plain text: one that is no instant has its place among the rest.
    if (!isInstant(at)) return []
    members.take(name)
    const details = makeEntries(
      (EVENT_DETAILS[name] ?? []).map((path) => members.take(path)),
      context,
    )
    return [{ name, label: recordWords.events[name], at, details }]
  }).sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

/** An address as it is written on an envelope; one entry. */
function takeAddress(members: Members, path: string, label: string): Entry[] {
  const part = (name: string) => asText(members.take(`${path}.${name}`)?.value)
  const [line1, line2, postalCode, city, state, country] = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'].map(part)
  const lines = [line1, line2, [postalCode, city].filter(Boolean).join(' '), state, country].filter(Boolean)
  return lines.length > 0 ? [{ path, label, text: lines.join('\n') }] : []
}

function takeCustomer(members: Members, context: EntryContext): Entry[] {
  const take = (...paths: string[]) =>
    makeEntries(
      paths.map((path) => members.take(path)),
      context,
    )
  return [
    ...take('billing.name', 'billing.companyName', 'customerEmail', 'billing.email', 'billing.billingEmail', 'billing.phone'),
    ...takeAddress(members, 'billing.address', recordWords.address),
    ...take('shipping.name', 'shipping.phone'),
    ...takeAddress(members, 'shipping.address', recordWords.shippingAddress),
    ...take('customerId', 'gatewayCustomerId'),
  ]
}

/** A custom field is called what its seller called it. */
function takeFields(members: Members, context: EntryContext): Entry[] {
  return Array.from({ length: members.count('fields') }, (_, at) => `fields[${at}]`).flatMap((path) => {
    const label = members.take(`${path}.label`)
    const value = members.take(`${path}.value`)
    const details = makeEntries(members.takeUnder(path), context)
    if (!label && !value && details.length === 0) return []
    return [{ path, label: asText(label?.value) ?? recordWords.field, text: asText(value?.value) ?? recordWords.nothing, details }]
  })
}

function takePlan(members: Members, context: EntryContext): Entry[] {
  const interval = members.take('interval')
  const count = members.take('intervalCount')
  const every =
    interval === undefined
      ? makeEntries([count], context)
      : [{ path: interval.path, label: recordWords.plan, text: recordWords.every(Number(count?.value ?? 1), String(interval.value)) }]
  const coupon = members.take('couponId')
  return [
    ...every,
    ...makeEntries([members.take('planIterations')], context),
    ...(coupon ? [{ ...makeEntry(coupon, context), href: `/coupons/${encodeURIComponent(String(coupon.value))}` }] : []),
  ]
}

const PATHS: Partial<Record<GroupName, string[]>> = {
  discount: [
    'percentOff',
    'amountOff',
    'duration',
    'durationInMonths',
    'appliesToSetupFee',
    'timesRedeemed',
    'maxRedemptions',
    'deleted',
    'pageIds',
  ],
  payment: ['paymentStatus', 'paymentError', 'paymentMethod', 'paymentOption', 'invoiceId', 'transactionIds'],
  tracking: [
    'queryParameters',
    'locale',
    'userAgent',
    'screenWidth',
    'visitId',
    'sessionId',
    'upsell',
    'upsellPageId',
    'upsellChargeId',
    'upsellSubscriptionId',
    'isAbandoned',
    'abandonedCartEmailStatus',
  ],
}

/** @param record without its secrets */
export function makeView(resource: ResourceName, record: Record<string, unknown>, context: EntryContext): RecordView {
  const members = readMembers(record)
  const status = asText(members.at('status'))
  const email = asText(members.at('customerEmail'))
  const test = members.at('livemode') === false
  const title = asText(members.at('orderId')) ?? asText(members.at('code')) ?? asText(members.at('id')) ?? ''
  const under = (name: GroupName) =>
    (PATHS[name] ?? []).flatMap((path) => members.takeUnder(path)).map((member) => makeEntry(member, context))

  const discount = resource === 'coupons' ? under('discount') : []
  const events = takeEvents(members, context)
  const customer = takeCustomer(members, context)
  const lines = takeLines(members, context)
  const charges = takeCharges(members, status, context)
  const plan = takePlan(members, context)
  const payment = under('payment')
  const fields = takeFields(members, context)
  const tracking = under('tracking')
  // The gateway's own names last, and together: they are looked up there.
  const rest = members.takeUnder('')
  const isGateway = ({ path }: { path: string }) => path.startsWith('gateway')
  const gateway = makeEntries(rest.filter(isGateway), context)
  const other = makeEntries(
    rest.filter((member) => !isGateway(member)),
    context,
  ).map((entry) => (entry.path === 'status' && status ? { ...entry, text: statusWords(status) } : entry))

  const groups: [GroupName, Entry[]][] = [
    ['discount', discount],
    ['plan', plan],
    ['payment', [...payment, ...gateway]],
    ['fields', fields],
    ['other', other],
    ['tracking', tracking],
  ]
  return {
    title,
    status,
    test,
    email,
    events,
    customer,
    lines,
    charges,
    groups: groups.flatMap(([name, entries]) => (entries.length > 0 ? [{ name, title: recordWords.groups[name], entries }] : [])),
  }
}
