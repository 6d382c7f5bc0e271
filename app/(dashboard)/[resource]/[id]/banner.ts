/** The banner of a record that failed, is past due, was canceled or was refunded: what happened, and why. */
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

/** Statuses that are explained by the gateway's error. */
const ERRORS: ReadonlySet<string> = new Set(['failed', 'past_due', 'incomplete_expired'])

const isShown = (status: unknown): status is BannerStatus => typeof status === 'string' && Object.hasOwn(TONES, status)

/** Returns the time of a failure or a cancellation, the start of a period that is not paid, or else the time of the last change. */
function formatTimes(members: Members, status: BannerStatus, { timeZone, failedAt }: EntryContext): string[] {
  const start = members.at('currentPeriodStart')
  if (status === 'past_due' && isInstant(start)) return [copy.since(formatInstant(start, timeZone))]
  const canceledAt = members.at('canceledAt')
  const known = status === 'failed' ? failedAt : status === 'canceled' && isInstant(canceledAt) ? canceledAt : undefined
  const at = known ?? members.at('updatedAt')
  return isInstant(at) ? [formatInstant(at, timeZone)] : []
}

/** Returns text such as "by customer: ill", or an empty string if neither is known. */
export const describeCancellation = (by: unknown, why: unknown): string => [by && copy.by(String(by)), why].filter(Boolean).join(': ')

/** Builds the banner of a record. Returns undefined if nothing is wrong. Takes the payment error, which is shown only there. */
export function takeBanner(
  resource: ResourceName,
  members: Members,
  payment: string | undefined,
  context: EntryContext,
): Banner | undefined {
  const status = members.at('status')
  if (isShown(status)) {
    const isError = ERRORS.has(status)
    const error = isError ? members.take('paymentError')?.value : undefined
    const [by, why] = [members.at('canceledBy'), members.at('canceledReason') ?? members.at('reason')]
    const canceled = status === 'canceled' ? describeCancellation(by, why) : ''
    const reason = error === undefined ? canceled : String(error)
    return {
      tone: TONES[status],
      title: status === 'canceled' && resource === 'subscriptions' ? copy.subscriptionCanceled : copy.titles[status],
      ...(reason === '' ? {} : { reason }),
      details: [...(isError && payment !== undefined ? [payment] : []), ...formatTimes(members, status, context)],
    }
  }
  const ends = members.at('cancelAt') ?? (members.at('cancelAtPeriodEnd') === true ? members.at('currentPeriodEnd') : undefined)
  if (resource !== 'subscriptions' || !isInstant(ends)) return undefined
  return { tone: 'warn', title: copy.cancels(formatInstant(ends, context.timeZone)), details: [] }
}
