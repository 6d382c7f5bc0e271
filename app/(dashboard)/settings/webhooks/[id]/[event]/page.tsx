/** Settings page: the delivery of an event, with its attempts and its payload. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Link } from '@/app/_components/link'
import { Cell, EmptyState, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { settingsCopy } from '@/app/copy/settings'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { requireUser } from '@/app/session'
import { eventIdParam } from '@/lib/catalog/list-params'
import { endpointIdParam, type WebhookEndpoint } from '@/lib/catalog/webhook-endpoint'
import { findEndpoint } from '@/lib/webhooks/endpoints'
import { type DeliveryAttempt, findDelivery } from '@/lib/webhooks/list-deliveries'
import { ResendEvent } from '../../endpoint-actions'
import { DeliveryStatus, describeResult } from '../../status'

export const metadata: Metadata = { title: settingsCopy.areas.webhooks }

function Attempts({ attempts, timeZone }: { attempts: DeliveryAttempt[]; timeZone: string }) {
  const { attemptColumns: columns } = copy
  return (
    <Table caption={copy.attempts} headers={Object.values(columns)}>
      {attempts.map((attempt) => (
        <Row key={attempt.at}>
          <Cell label={columns.at}>
            <Timestamp at={attempt.at} timeZone={timeZone} />
          </Cell>
          <Cell label={columns.result}>{describeResult(attempt)}</Cell>
          <Cell label={columns.duration}>{copy.duration(attempt.ms)}</Cell>
          <Cell label={columns.response}>
            <code className="wrap-anywhere whitespace-pre-wrap text-[0.8125rem]">{attempt.responseBody || copy.empty}</code>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

export default async function DeliveryPage({ params }: { params: Promise<{ id: string; event: string }> }) {
  const { id, event: eventId } = await params
  const path = `/settings/webhooks/${id}`
  const { sellerId, timeZone } = await requireUser('settings', `${path}/${eventId}`)
  if (!endpointIdParam.safeParse(id).success || !eventIdParam.safeParse(eventId).success) notFound()
  const [record, delivery] = await Promise.all([
    findEndpoint(sellerId, id.toLowerCase()),
    findDelivery(sellerId, id.toLowerCase(), eventId.toLowerCase()),
  ])
  if (record === undefined || !delivery) notFound()
  const endpoint = JSON.parse(record) as WebhookEndpoint
  return (
    <>
      <p className="mb-3 text-sm">
        <Link href={path} className="text-accent underline-offset-4 hover:underline">
          {copy.back}
        </Link>
      </p>
      <SettingsSection
        title={copy.delivery(delivery.eventId)}
        hint={copy.deliveryHint(delivery.type, endpoint.url)}
        action={endpoint.enabled && delivery.payload !== null ? <ResendEvent id={endpoint.id} eventId={delivery.eventId} /> : null}
      >
        <div className="mb-6 text-sm">
          <DeliveryStatus delivery={delivery} timeZone={timeZone} />
        </div>
        <h3 className="mb-2 font-medium">{copy.attempts}</h3>
        {delivery.attemptList.length === 0 ? (
          <EmptyState title={copy.noAttempts} hint={delivery.state === 'failed' ? copy.failedWithoutAttemptHint : copy.noAttemptsHint} />
        ) : (
          <Attempts attempts={delivery.attemptList} timeZone={timeZone} />
        )}
        {delivery.payload === null ? null : (
          <>
            <h3 className="mt-6 mb-2 font-medium">{copy.payload}</h3>
            <pre className="wrap-anywhere whitespace-pre-wrap rounded-lg border border-line bg-card p-4 text-[0.8125rem]">
              {JSON.stringify(JSON.parse(delivery.payload), null, 2)}
            </pre>
          </>
        )}
      </SettingsSection>
    </>
  )
}
