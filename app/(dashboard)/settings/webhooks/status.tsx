/** Shows the status of webhook endpoints and deliveries. */
import { STATUS_CODES } from 'node:http'
import { formatInstant, type Tone } from '@/app/_components/cells'
import { StatusBadge } from '@/app/_components/status-badge'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import type { WebhookEndpoint } from '@/lib/catalog/webhook-endpoint'
import type { Delivery, DeliveryAttempt } from '@/lib/webhooks/list-deliveries'

export function EndpointStatus({ endpoint, timeZone }: { endpoint: WebhookEndpoint; timeZone: string }) {
  const { enabled, failingSince, disabledReason } = endpoint
  if (!enabled) {
    return (
      <>
        <StatusBadge tone={disabledReason ? 'bad' : 'neutral'}>{copy.states.disabled}</StatusBadge>
        {disabledReason ? <p className="text-quiet">{copy.reasons[disabledReason]}</p> : null}
      </>
    )
  }
  if (failingSince === undefined) return <StatusBadge tone="good">{copy.states.active}</StatusBadge>
  return (
    <>
      <StatusBadge tone="warn">{copy.states.failing}</StatusBadge>
      <p className="text-quiet">{copy.failingSince(formatInstant(failingSince, timeZone))}</p>
    </>
  )
}

const TONES: Record<Delivery['state'], Tone> = { pending: 'warn', succeeded: 'good', failed: 'bad' }

type DeliveryStatusProps = { delivery: Pick<Delivery, 'state' | 'attempts' | 'nextAt'>; timeZone: string }

export const DeliveryStatus = ({ delivery: { state, attempts, nextAt }, timeZone }: DeliveryStatusProps) => (
  <>
    <StatusBadge tone={TONES[state]}>{copy.deliveryStates[state]}</StatusBadge>
    {state === 'pending' && attempts > 0 ? <p className="text-quiet">{copy.nextAt(formatInstant(nextAt, timeZone))}</p> : null}
  </>
)

/** Describes the result of a delivery attempt: the HTTP status, or why there was no response. */
export function describeResult({ status, error }: Pick<DeliveryAttempt, 'status' | 'error'>): string {
  if (status === null) return copy.errors[error ?? ''] ?? copy.errors.connection_failed ?? ''
  const text = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return status >= 300 && status < 400 ? copy.redirect(text) : text
}

export const formatEvents = (events: readonly string[]): string => (events.includes('*') ? copy.allEvents : events.join(', '))
