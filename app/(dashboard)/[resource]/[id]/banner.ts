/** The banner about an order's or subscription's failed payment, refund, or past or scheduled cancellation: what happened, and why. */
import { formatInstant, type Tone } from '@/app/_components/cells'
import { recordCopy } from '@/app/copy/record'
import type { ResourceName } from '@/lib/catalog'
import { type EntryContext, isInstant } from './entries'
import type { Members } from './members'

export type Banner = {
  tone: Tone
  title: string
  reason?: string
  /** The payment method, and the time in the seller's time zone. */
  details: string[]
}

const copy = recordCopy.banners

const TONES = {
  failed: 'bad',
  past_due: 'bad',
  incomplete_expired: 'bad',
  canceled: 'warn',
  refunded: 'warn',
  partial_refund: 'warn',
} as const
type BannerStatus = keyof typeof TONES

/** The statuses whose banner shows the payment gateway's error. */
const STATUSES_WITH_ERROR: ReadonlySet<string> = new Set(['failed', 'past_due', 'incomplete_expired'])

const hasBanner = (status: unknown): status is BannerStatus => typeof status === 'string' && Object.hasOwn(TONES, status)

/** Formats when the payment failed, the order was canceled or the unpaid period started, or else when the record was last updated. */
function formatTimes(members: Members, status: BannerStatus, { timeZone, failedAt }: EntryContext): string[] {
  const start = members.at('currentPeriodStart')
  if (status === 'past_due' && isInstant(start)) return [copy.since(formatInstant(start, timeZone))]
  const canceledAt = members.at('canceledAt')
  const known = status === 'failed' ? failedAt : status === 'canceled' && isInstant(canceledAt) ? canceledAt : undefined
  const at = known ?? members.at('updatedAt')
  return isInstant(at) ? [formatInstant(at, timeZone)] : []
}

/**
 * Builds a record's banner. Returns undefined if the record needs none. Removes the payment error from `members`, so that only the banner
 * shows it.
 *
 * @param payment the payment method, as text
 */
export function takeBanner(
  resource: ResourceName,
  members: Members,
  payment: string | undefined,
  context: EntryContext,
): Banner | undefined {
  const status = members.at('status')
  if (hasBanner(status)) {
    const showsError = STATUSES_WITH_ERROR.has(status)
    const error = showsError ? members.take('paymentError')?.value : undefined
    const [by, why] = [members.at('canceledBy'), members.at('canceledReason') ?? members.at('reason')]
    const isCanceled = status === 'canceled'
    const title = isCanceled && resource === 'subscriptions' ? copy.subscriptionCanceled : copy.titles[status]
    const reason = error ?? (isCanceled ? why : undefined)
    return {
      tone: TONES[status],
      title: isCanceled && by ? `${title} ${copy.by(String(by))}` : title,
      ...(reason ? { reason: String(reason) } : {}),
      details: [...(showsError && payment !== undefined ? [payment] : []), ...formatTimes(members, status, context)],
    }
  }
  const cancelsAt = members.at('cancelAt') ?? (members.at('cancelAtPeriodEnd') === true ? members.at('currentPeriodEnd') : undefined)
  if (resource !== 'subscriptions' || !isInstant(cancelsAt)) return undefined
  return { tone: 'warn', title: copy.cancels(formatInstant(cancelsAt, context.timeZone)), details: [] }
}
