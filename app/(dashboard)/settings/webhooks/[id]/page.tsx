/** Settings page: a webhook endpoint and its deliveries. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { apiRequest } from '@/app/_components/api-request'
import { CopyRequest } from '@/app/_components/copy-request'
import { FirstPageLink } from '@/app/_components/first-page-link'
import { Link } from '@/app/_components/link'
import { Pager } from '@/app/_components/pager'
import { ActionsCell, Cell, EmptyState, InvalidLink, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { StatusTabs } from '@/app/_components/status-tabs'
import { linkTo, withParams } from '@/app/_components/with-params'
import { formatCount } from '@/app/copy/format'
import { listCopy } from '@/app/copy/list'
import { settingsCopy } from '@/app/copy/settings'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { firstPageHref, loadList, type SearchParams, toQuery } from '@/app/load-list'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { EVENT_TYPES, TEST_EVENT } from '@/lib/catalog/event-types'
import { DELIVERY_STATES, deliveryParams } from '@/lib/catalog/webhook-delivery'
import { endpointIdParam, type WebhookEndpoint } from '@/lib/catalog/webhook-endpoint'
import { dayIn } from '@/lib/core/time'
import type { Page } from '@/lib/listing/keyset'
import { findEndpoint } from '@/lib/webhooks/endpoints'
import { type Delivery, listDeliveries } from '@/lib/webhooks/list-deliveries'
import { DeleteEndpoint, DisableEndpoint, EnableEndpoint, ResendFailed, TestEndpoint } from '../endpoint-actions'
import { EditEndpoint, RotateSecret } from '../endpoint-dialogs'
import { DeliveryStatus, describeResult, EndpointStatus, formatEvents } from '../status'

export const metadata: Metadata = { title: settingsCopy.areas.webhooks }

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
            <Link href={`${path}/${delivery.eventId}`} className="button" aria-label={copy.detailsAccessibleName(delivery.eventId)}>
              {copy.details}
            </Link>
          </ActionsCell>
        </Row>
      ))}
    </Table>
  )
}

type ResultsProps = { path: string; page: Page<Delivery>; query: URLSearchParams; timeZone: string }

function Results({ path, page: { rows, hasPrevious, hasNext }, query, timeZone }: ResultsProps) {
  if (rows.length === 0)
    return (
      <EmptyState title={copy.noDeliveries} hint={copy.noDeliveriesHint}>
        <FirstPageLink path={path} query={query} />
      </EmptyState>
    )
  return (
    <>
      <Deliveries path={path} deliveries={rows} timeZone={timeZone} />
      <Pager
        path={path}
        query={query}
        titles={{ previous: listCopy.newer(copy.what), next: listCopy.older(copy.what) }}
        previous={hasPrevious ? rows[0]?.eventId : undefined}
        next={hasNext ? rows.at(-1)?.eventId : undefined}
        position={copy.shown(rows.length)}
      />
    </>
  )
}

export default async function WebhookPage({ params, searchParams }: Props) {
  const { id } = await params
  const path = `/settings/webhooks/${id}`
  const query = toQuery(await searchParams)
  const { sellerId, timeZone } = await requireUser('settings', withParams(path, query))
  const record = endpointIdParam.safeParse(id).success ? await findEndpoint(sellerId, id.toLowerCase()) : undefined
  if (record === undefined) notFound()
  const endpoint = JSON.parse(record) as WebhookEndpoint
  const [{ page, error }, origin] = await Promise.all([
    loadList(query, deliveryParams, (options) => listDeliveries(sellerId, endpoint.id, options)),
    getPublicBaseUrl(),
  ])
  const state = query.get('status') ?? undefined
  const tabs = [undefined, ...DELIVERY_STATES].map((name) => ({
    // If the link to this page was invalid, the tabs do not keep its parameters.
    ...linkTo(path, page ? query : new URLSearchParams(), { status: name }),
    label: name === undefined ? copy.anyState : copy.deliveryStates[name],
    isCurrent: name === state,
  }))
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
        <div className="mb-3">
          <StatusTabs label={copy.filter} tabs={tabs} />
        </div>
        {page ? (
          <Results path={path} page={page} query={query} timeZone={timeZone} />
        ) : (
          <InvalidLink hint={error} href={firstPageHref(path, query, error)} />
        )}
      </SettingsSection>
    </>
  )
}
