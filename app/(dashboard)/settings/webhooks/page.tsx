/** Settings page: webhook endpoints. */
import type { Metadata } from 'next'
import { Link } from '@/app/_components/link'
import { ActionsCell, Cell, EmptyState, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { settingsCopy } from '@/app/copy/settings'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { EVENT_TYPES, TEST_EVENT } from '@/lib/catalog/event-types'
import { listAllEndpoints } from '@/lib/webhooks/endpoints'
import { CreateEndpoint } from './endpoint-dialogs'
import { EndpointStatus, formatEvents } from './status'

export const metadata: Metadata = { title: settingsCopy.areas.webhooks }

export default async function WebhooksPage() {
  const { sellerId, timeZone } = await requireUser('settings', '/settings/webhooks')
  const [endpoints, origin] = await Promise.all([listAllEndpoints(sellerId), getPublicBaseUrl()])
  const types = Object.keys(EVENT_TYPES).filter((type) => type !== TEST_EVENT)
  const { columns } = copy
  return (
    <SettingsSection title={settingsCopy.areas.webhooks} hint={copy.hint} action={<CreateEndpoint types={types} origin={origin} />}>
      {endpoints.length === 0 ? (
        <EmptyState title={copy.none} hint={copy.noneHint} />
      ) : (
        <Table caption={settingsCopy.areas.webhooks} headers={Object.values(columns)} actions={settingsCopy.actions}>
          {endpoints.map((endpoint) => (
            <Row key={endpoint.id}>
              <Cell label={columns.url}>
                <span className="break-all font-mono text-[0.8125rem]">{endpoint.url}</span>
                {endpoint.description === undefined ? null : <p className="text-quiet">{endpoint.description}</p>}
              </Cell>
              <Cell label={columns.events}>{formatEvents(endpoint.events)}</Cell>
              <Cell label={columns.created}>
                <Timestamp at={endpoint.createdAt} timeZone={timeZone} />
              </Cell>
              <Cell label={columns.state}>
                <EndpointStatus endpoint={endpoint} timeZone={timeZone} />
              </Cell>
              <ActionsCell>
                <Link href={`/settings/webhooks/${endpoint.id}`} className="button" aria-label={copy.openAccessibleName(endpoint.url)}>
                  {copy.open}
                </Link>
              </ActionsCell>
            </Row>
          ))}
        </Table>
      )}
      <p className="mt-4 text-sm">
        <a href="/docs#webhooks" className="text-accent underline-offset-4 hover:underline">
          {copy.docs}
        </a>
      </p>
    </SettingsSection>
  )
}
