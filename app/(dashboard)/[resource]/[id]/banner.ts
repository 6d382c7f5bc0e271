/** Builds the banner that explains an order's or subscription's failed or overdue payment, refund or cancellation. */
import { formatInstant, type Tone } from '@/app/_components/cells'
import { recordCopy } from '@/app/copy/record'
import type { ResourceName } from '@/lib/catalog'
import { type EntryContext, isInstant } from './entries'
import type { Members } from './members'

export type Banner = {
  tone: Tone
  title: string
  reason?: string
  /** Details such as the payment method and the time (in the seller's time zone). */
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

/** For these statuses, the banner shows the payment gateway's error and the payment method. */
const STATUSES_WITH_ERROR: ReadonlySet<string> = new Set(['failed', 'past_due', 'incomplete_expired'])

const hasBanner = (status: unknown): status is BannerStatus => typeof status === 'string' && Object.hasOwn(TONES, status)

/** Formats the time of the failed payment, the start of the unpaid period, or the cancellation. Falls back to the record's last update. */
function formatTime(members: Members, status: BannerStatus, { timeZone, failedAt }: EntryContext): string[] {
  const start = members.at('currentPeriodStart')
  if (status === 'past_due' && isInstant(start)) return [copy.since(formatInstant(start, timeZone))]
  const canceledAt = members.at('canceledAt')
  const changedAt = status === 'failed' ? failedAt : status === 'canceled' && isInstant(canceledAt) ? canceledAt : undefined
  const at = changedAt ?? members.at('updatedAt')
  return isInstant(at) ? [formatInstant(at, timeZone)] : []
}

/**
 * Builds a record's banner, or returns undefined if it needs none. Takes the payment error from `members` if the banner shows it, so that
 * the page does not repeat it.
 *
 * @param payment the formatted payment method
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
    const canceledBy = members.at('canceledBy')
    const isCanceled = status === 'canceled'
    const title = isCanceled && resource === 'subscriptions' ? copy.subscriptionCanceled : copy.titles[status]
    const reason = error ?? (isCanceled ? (members.at('canceledReason') ?? members.at('reason')) : undefined)
    return {
      tone: TONES[status],
      title: isCanceled && canceledBy ? `${title} ${copy.canceledBy(String(canceledBy))}` : title,
      ...(reason ? { reason: String(reason) } : {}),
      details: [...(showsError && payment !== undefined ? [payment] : []), ...formatTime(members, status, context)],
    }
  }
  const cancelsAt = members.at('cancelAt') ?? (members.at('cancelAtPeriodEnd') === true ? members.at('currentPeriodEnd') : undefined)
  if (resource !== 'subscriptions' || !isInstant(cancelsAt)) return undefined
  return { tone: 'warn', title: copy.cancels(formatInstant(cancelsAt, context.timeZone)), details: [] }
}
