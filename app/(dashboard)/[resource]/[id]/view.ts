/** Builds the data for a record's page. Members without their own section are listed under the technical details. */
import { statusLabel } from '@/app/_components/cells'
import { recordCopy } from '@/app/copy/record'
import type { ResourceName } from '@/lib/catalog'
import { type Banner, takeBanner } from './banner'
import { type Charge, readPrices, takeCharges } from './charges'
import { asText, type Entry, type EntryContext, formatLabel, formatRegion, isInstant, makeEntries, makeEntry } from './entries'
import { type Line, listItemPaths, takeLines } from './lines'
import { type Members, readMembers } from './members'
import { takePaymentMethod } from './payment-method'
import type { TimelineEntry } from './timeline'

type GroupName = keyof typeof recordCopy.groups
export type Group = { name: GroupName; title: string; entries: Entry[] }

export type RecordView = {
  title: string
  status: string | undefined
  isTest: boolean
  banner: Banner | undefined
  /** The record's timestamps, oldest first. */
  events: TimelineEntry[]
  customer: Entry[]
  lines: Line[]
  charges: Charge[]
  /** A one-line summary of the payment method, and the seller-defined payment option. */
  payment: Entry[]
  /** The groups with their own cards. */
  groups: Group[]
  /** The groups in the collapsed technical details. */
  technical: Group[]
}

type EventName = keyof typeof recordCopy.events
const EVENTS = Object.keys(recordCopy.events) as EventName[]

/** Statuses of subscriptions that renew at the end of their period. */
const RENEWING_STATUSES: ReadonlySet<unknown> = new Set(['active', 'trialing', 'past_due'])

/** Members shown as details of an event. */
const EVENT_DETAILS: Readonly<Record<string, string[]>> = {
  canceledAt: ['canceledBy', 'canceledReason', 'reason'],
  currentPeriodEnd: ['cancelAtPeriodEnd'],
  abandonedCartEmailSentAt: ['abandonedCartEmailStatus'],
}

/** Returns an event's label. Events that are usually in the future have a different label once they have passed. */
function labelEvent(name: EventName, at: string, isRenewing: boolean): string {
  const endedLabels: Partial<Record<EventName, string>> = recordCopy.endedEvents
  const endedLabel = Date.parse(at) < Date.now() ? endedLabels[name] : undefined
  return endedLabel ?? (name === 'currentPeriodEnd' && isRenewing ? recordCopy.renews : recordCopy.events[name])
}

/** Takes the record's timestamps. Returns them in chronological order, with their details. */
function takeEvents(members: Members, context: EntryContext): TimelineEntry[] {
  const isRenewing =
    RENEWING_STATUSES.has(members.at('status') ?? '') && members.at('cancelAtPeriodEnd') !== true && !members.at('cancelAt')
  return EVENTS.flatMap((name): TimelineEntry[] => {
    const at = members.at(name)
    // Payments and bookings have free-form text in `canceledAt`. A value that is not a timestamp is listed under the technical details.
    if (!isInstant(at)) return []
    members.take(name)
    const details = makeEntries(
      (EVENT_DETAILS[name] ?? []).map((path) => members.take(path)),
      context,
    )
    return [{ key: name, kind: 'record', label: labelEvent(name, at, isRenewing), at, details }]
  }).sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

/** Combines the members of an address into one entry, with lines as on an envelope. */
function takeAddress(members: Members, path: string, label: string): Entry[] {
  const part = (name: string) => asText(members.take(`${path}.${name}`)?.value)
  const [line1, line2, postalCode, city, state, country] = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'].map(part)
  const lines = [line1, line2, [postalCode, city].filter(Boolean).join(' '), state, country && formatRegion(country)].filter(Boolean)
  return lines.length > 0 ? [{ path, label, text: lines.join('\n') }] : []
}

function takeCustomer(members: Members, context: EntryContext): Entry[] {
  const take = (...paths: string[]) =>
    makeEntries(
      paths.map((path) => members.take(path)),
      context,
    )
  return [
    ...take('name', 'companyName', 'email', 'billingEmail', 'phone', 'taxId', 'taxIdType'),
    ...takeAddress(members, 'address', recordCopy.address),
    ...take('billing.name', 'billing.companyName', 'customerEmail', 'billing.email', 'billing.billingEmail', 'billing.phone'),
    ...takeAddress(members, 'billing.address', recordCopy.address),
    ...take('shipping.name', 'shipping.phone'),
    ...takeAddress(members, 'shipping.address', recordCopy.shippingAddress),
  ]
}

/** Builds the entries for the custom fields, with the labels that the seller defined. */
function takeCustomFields(members: Members, context: EntryContext): Entry[] {
  return listItemPaths(members, 'fields').flatMap((path) => {
    const label = members.take(`${path}.label`)
    const value = members.take(`${path}.value`)
    const details = makeEntries(members.takeUnder(path), context)
    if (!label && !value && details.length === 0) return []
    return [{ path, label: asText(label?.value) ?? recordCopy.field, text: asText(value?.value) ?? recordCopy.empty, details }]
  })
}

function takePlan(members: Members, context: EntryContext): Entry[] {
  const interval = members.take('interval')
  const count = members.take('intervalCount')
  const billing =
    interval === undefined
      ? makeEntries([count], context)
      : [{ path: interval.path, label: recordCopy.billing, text: recordCopy.every(Number(count?.value ?? 1), String(interval.value)) }]
  const coupon = members.take('couponId')
  return [
    ...billing,
    ...makeEntries([members.take('planIterations')], context),
    ...(coupon
      ? [
          {
            path: coupon.path,
            label: formatLabel(coupon.path),
            text: recordCopy.viewCoupon,
            href: `/coupons/${encodeURIComponent(String(coupon.value))}`,
          },
        ]
      : []),
  ]
}

/** Combines a coupon's duration and number of months into one entry. */
function takeDuration(members: Members): Entry[] {
  const duration = members.take('duration')
  if (!duration) return []
  const months = duration.value === 'repeating' ? members.take('durationInMonths') : undefined
  const text = recordCopy.duration(String(duration.value), Number(months?.value ?? 0))
  return [{ path: 'duration', label: recordCopy.members.duration, text }]
}

/** Combines a coupon's uses and limit into one entry: "Uses: 12 of 500". */
function takeUses(members: Members): Entry[] {
  const [used, limit] = [members.at('timesRedeemed'), members.at('maxRedemptions')]
  if (typeof used !== 'number' || typeof limit !== 'number') return []
  members.take('timesRedeemed')
  members.take('maxRedemptions')
  return [{ path: 'timesRedeemed', label: recordCopy.members.timesRedeemed, text: recordCopy.uses(used, limit) }]
}

/** The members that `takeGroup` takes for each group, as paths. */
const GROUP_PATHS: Partial<Record<GroupName, string[]>> = {
  discount: ['percentOff', 'amountOff', 'appliesToSetupFee', 'timesRedeemed', 'maxRedemptions', 'pageIds'],
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

/** Matches the paths of members that only developers need. */
const TECHNICAL_PATH = /(^|\.)(id|\w+Ids?|gateway\w*|taxabilityReason|selectionType)(\[\d+\])?$/

/** Returns the items or charges without their technical details, and appends these to `technical`. */
const extractTechnicalDetails = <Item extends { details: Entry[] }>(items: Item[], technical: Entry[]): Item[] =>
  items.map((item) => {
    const isTechnical = ({ path }: Entry) => TECHNICAL_PATH.test(path)
    technical.push(...item.details.filter(isTechnical))
    return { ...item, details: item.details.filter((entry) => !isTechnical(entry)) }
  })

/** Returns whether a coupon's redemption deadline has passed. */
const isExpired = (redeemBy: unknown) => isInstant(redeemBy) && Date.parse(redeemBy) < Date.now()

/** Builds a record's view. @param record the record without its secrets */
export function makeView(resource: ResourceName, record: Record<string, unknown>, context: EntryContext): RecordView {
  const members = readMembers(record)
  const status = members.at('deleted') === true ? 'deleted' : isExpired(members.at('redeemBy')) ? 'expired' : asText(members.at('status'))
  const isTest = members.at('livemode') === false
  const titles = ['orderId', 'code', 'name', 'email', 'id'].map((name) => asText(members.at(name)))
  const title = titles.find((text) => text !== undefined) ?? ''
  const takeGroup = (name: GroupName) =>
    (GROUP_PATHS[name] ?? []).flatMap((path) => members.takeUnder(path)).map((member) => makeEntry(member, context))

  // Read the prices first, because members can no longer be read once a section has taken them.
  const prices = readPrices(members)
  const discount = resource === 'coupons' ? [...takeDuration(members), ...takeUses(members), ...takeGroup('discount')] : []
  const payment = takePaymentMethod(members, context)
  const banner = takeBanner(resource, members, payment[0]?.text, context)
  const events = takeEvents(members, context)
  const customer = takeCustomer(members, context)
  const technical: Entry[] = []
  const lines = extractTechnicalDetails(takeLines(members, context), technical)
  const charges = extractTechnicalDetails(takeCharges(members, status, prices, context), technical)
  const plan = takePlan(members, context)
  const paymentDetails = takeGroup('payment')
  const fields = takeCustomFields(members, context)
  const tracking = takeGroup('tracking')
  // The record's own gateway members are listed at the end of the Payment group, and those of its items and fees under Details.
  const rest = members.takeUnder('')
  const isGateway = ({ path }: { path: string }) => path.startsWith('gateway')
  const gatewayDetails = makeEntries(rest.filter(isGateway), context)
  const other = makeEntries(
    rest.filter((member) => !isGateway(member)),
    context,
  ).map((entry) => (entry.path === 'status' && status ? { ...entry, text: statusLabel(status) } : entry))

  const toGroups = (groups: [GroupName, Entry[]][]): Group[] =>
    groups.flatMap(([name, entries]) => (entries.length > 0 ? [{ name, title: recordCopy.groups[name], entries }] : []))
  return {
    title,
    status,
    isTest,
    banner,
    events,
    customer,
    lines,
    charges,
    payment,
    groups: toGroups([
      ['discount', discount],
      ['plan', plan],
      ['fields', fields],
    ]),
    technical: toGroups([
      ['payment', [...paymentDetails, ...gatewayDetails]],
      ['other', [...other, ...technical]],
      ['tracking', tracking],
    ]),
  }
}
