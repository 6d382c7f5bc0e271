/** Settings page: a webhook endpoint and its deliveries. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { apiRequest } from '@/app/_components/api-request'
import { CopyRequest } from '@/app/_components/copy-request'
import { Link } from '@/app/_components/link'
import { formatCount } from '@/app/copy/format'
import { settingsCopy } from '@/app/copy/settings'
import { shopCopy } from '@/app/copy/shop'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { EVENT_TYPES, TEST_EVENT } from '@/lib/catalog/event-types'
import { DELIVERY_STATES } from '@/lib/catalog/webhook-delivery'
import { endpointIdParam, type WebhookEndpoint } from '@/lib/catalog/webhook-endpoint'
import { dayIn } from '@/lib/core/time'
import { findEndpoint } from '@/lib/webhooks/endpoints'
import { type Delivery, listDeliveries } from '@/lib/webhooks/list-deliveries'
import { ActionsCell, Cell, EmptyState, Row, SettingsSection, Table, Timestamp } from '../../_parts/settings-section'
import { DeleteEndpoint, DisableEndpoint, EnableEndpoint, ResendFailed, TestEndpoint } from '../endpoint-actions'
import { EditEndpoint, RotateSecret } from '../endpoint-dialogs'
import { DeliveryStatus, describeResult, EndpointStatus, formatEvents } from '../status'

export const metadata: Metadata = { title: `${settingsCopy.areas.webhooks} · ${shopCopy.name}` }

/** The number of deliveries per page. */
const PAGE_SIZE = 50

type Props = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> }

function Deliveries({ path, deliveries, timeZone }: { path: string; deliveries: Delivery[]; timeZone: string }) {
  const { deliveryColumns: columns } = copy
  return (
    <Table caption={copy.deliveries} headers={Object.values(columns)} actions={settingsCopy.actions}>
      {deliveries.map((delivery) => (
        <Row key={delivery.eventId}>
          <Cell label={columns.event}>
            {delivery.type}
            <p className="break-all font-mono text-[0.8125rem] text-quiet">{delivery.eventId}</p>
          </Cell>
          <Cell label={columns.at}>
            <Timestamp at={delivery.createdAt} timeZone={timeZone} />
          </Cell>
          <Cell label={columns.state}>
            <DeliveryStatus delivery={delivery} timeZone={timeZone} />
          </Cell>
          <Cell label={columns.attempts}>{formatCount(delivery.attempts)}</Cell>
          <Cell label={columns.response}>{delivery.last ? describeResult(delivery.last) : copy.noResponse}</Cell>
          <ActionsCell>
            <Link href={`${path}/${delivery.eventId}`} className="button" aria-label={copy.detailsNamed(delivery.eventId)}>
              {copy.details}
            </Link>
          </ActionsCell>
        </Row>
      ))}
    </Table>
  )
}

export default async function WebhookPage({ params, searchParams }: Props) {
  const { id } = await params
  const path = `/settings/webhooks/${id}`
  const { sellerId, timeZone } = await requireUser('settings', path)
  const record = endpointIdParam.safeParse(id).success ? await findEndpoint(sellerId, id.toLowerCase()) : undefined
  if (record === undefined) notFound()
  const endpoint = JSON.parse(record) as WebhookEndpoint
  const query = toQuery(await searchParams)
  const state = DELIVERY_STATES.find((name) => name === query.get('status'))
  const options = { limit: PAGE_SIZE, status: state, starting_after: query.get('after') ?? undefined }
  const [{ rows: deliveries, hasOlder }, origin] = await Promise.all([listDeliveries(sellerId, endpoint.id, options), getPublicBaseUrl()])
  const linkTo = (changes: Record<string, string | undefined>) => {
    const next = new URLSearchParams(Object.entries({ status: state, ...changes }).flatMap(([key, value]) => (value ? [[key, value]] : [])))
    return next.size === 0 ? path : `${path}?${next}`
  }
  const types = Object.keys(EVENT_TYPES).filter((type) => type !== TEST_EVENT)
  const today = dayIn(timeZone, new Date())
  return (
    <>
      <SettingsSection title={endpoint.description ?? endpoint.url} hint={endpoint.description && endpoint.url}>
        <dl className="mb-4 flex flex-wrap gap-x-10 gap-y-2 text-sm">
          <div>
            <dt className="text-quiet">{copy.columns.state}</dt>
            <dd>
              <EndpointStatus endpoint={endpoint} timeZone={timeZone} />
            </dd>
          </div>
          <div className="min-w-0">
            <dt className="text-quiet">{copy.columns.events}</dt>
            <dd className="wrap-anywhere">{formatEvents(endpoint.events)}</dd>
          </div>
        </dl>
        <div className="mb-8 flex flex-wrap gap-2">
          {endpoint.enabled ? <TestEndpoint id={endpoint.id} /> : <EnableEndpoint id={endpoint.id} today={today} />}
          <EditEndpoint types={types} endpoint={endpoint} origin={origin} />
          <RotateSecret id={endpoint.id} origin={origin} />
          {endpoint.enabled ? <DisableEndpoint id={endpoint.id} origin={origin} /> : null}
          <DeleteEndpoint id={endpoint.id} origin={origin} />
          <CopyRequest command={apiRequest(origin, 'GET', `/webhook_endpoints/${endpoint.id}`)} className="button" />
        </div>
      </SettingsSection>
      <SettingsSection
        title={copy.deliveries}
        hint={copy.deliveriesHint}
        action={endpoint.enabled ? <ResendFailed id={endpoint.id} today={today} /> : null}
      >
        <nav aria-label={copy.filter} className="mb-3 flex flex-wrap gap-x-4 text-sm">
          {[undefined, ...DELIVERY_STATES].map((name) => (
            <Link
              key={name ?? ''}
              href={linkTo({ status: name })}
              aria-current={name === state ? 'page' : undefined}
              className="py-1 text-quiet underline-offset-4 hover:underline aria-[current]:font-medium aria-[current]:text-ink"
            >
              {name === undefined ? copy.anyState : copy.deliveryStates[name]}
            </Link>
          ))}
        </nav>
        {deliveries.length === 0 ? (
          <EmptyState title={copy.noDeliveries} hint={copy.noDeliveriesHint} />
        ) : (
          <Deliveries path={path} deliveries={deliveries} timeZone={timeZone} />
        )}
        <p className="mt-3 flex gap-2">
          {query.get('after') ? (
            <Link href={linkTo({})} className="button">
              {copy.newest}
            </Link>
          ) : null}
          {hasOlder ? (
            <Link href={linkTo({ after: deliveries.at(-1)?.eventId })} className="button">
              {copy.older}
            </Link>
          ) : null}
        </p>
      </SettingsSection>
    </>
  )
}
