/** Settings page: the Stripe endpoint, its signing secret, event counts and failed events. */
import type { Metadata } from 'next'
import { CopyButton } from '@/app/_components/copy-button'
import { ActionsCell, Cell, EmptyState, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { formatCount } from '@/app/copy/format'
import { settingsCopy } from '@/app/copy/settings'
import { stripeCopy as copy } from '@/app/copy/stripe'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireUser } from '@/app/session'
import { secretState } from '@/lib/sync/stripe/account'
import { countEvents, type EventCounts, listEvents, type StoredEvent } from '@/lib/sync/stripe/events'
import { RetryAll, RetryEvent } from './retry'
import { SecretForm } from './secret-form'

/** The maximum number of failed events to show. */
const MAX_EVENTS = 50

export const metadata: Metadata = { title: settingsCopy.areas.stripe }

function Endpoint({ url }: { url: string }) {
  return (
    <div className="text-sm">
      <h3 className="font-medium">{copy.endpoint}</h3>
      <p className="flex items-center gap-2 font-mono text-[0.8125rem]">
        <span className="min-w-0 break-all">{url}</span>
        <CopyButton text={url} name={copy.endpointWhat} />
      </p>
      <p className="text-quiet">{copy.endpointHint}</p>
    </div>
  )
}

function Counts({ counts, timeZone }: { counts: EventCounts; timeZone: string }) {
  const { waiting, failed, lastAt } = counts
  return (
    <dl className="my-6 flex flex-wrap gap-x-10 gap-y-2 text-sm tabular-nums">
      <div>
        <dt className="text-quiet">{copy.lastEvent}</dt>
        <dd>{lastAt === undefined ? settingsCopy.never : <Timestamp at={lastAt} timeZone={timeZone} />}</dd>
      </div>
      <div>
        <dt className="text-quiet">{copy.waiting}</dt>
        <dd>{formatCount(waiting)}</dd>
      </div>
      <div>
        <dt className="text-quiet">{copy.failed}</dt>
        <dd className={failed > 0 ? 'text-bad' : ''}>{formatCount(failed)}</dd>
      </div>
    </dl>
  )
}

function FailedEvents({ events, total, timeZone }: { events: StoredEvent[]; total: number; timeZone: string }) {
  const { columns } = copy
  return (
    <SettingsSection title={copy.failed} hint={copy.failedHint} action={<RetryAll />}>
      <Table caption={copy.failed} headers={Object.values(columns)} actions={settingsCopy.actions}>
        {events.map(({ id, type, createdAt, attempts, error }) => (
          <Row key={id}>
            <Cell label={columns.event}>
              <span className="break-all font-mono text-[0.8125rem]">{id}</span>
            </Cell>
            <Cell label={columns.type}>{type}</Cell>
            <Cell label={columns.created}>
              <Timestamp at={createdAt} timeZone={timeZone} />
            </Cell>
            <Cell label={columns.attempts}>{formatCount(attempts)}</Cell>
            <Cell label={columns.reason}>{error}</Cell>
            <ActionsCell>
              <RetryEvent id={id} />
            </ActionsCell>
          </Row>
        ))}
      </Table>
      {total > events.length ? <p className="mt-2 text-quiet text-sm">{copy.shown(events.length, total)}</p> : null}
    </SettingsSection>
  )
}

export default async function StripePage() {
  const { sellerId, timeZone } = await requireUser('settings', '/settings/stripe')
  const [state, counts, failed, baseUrl] = await Promise.all([
    secretState(sellerId),
    countEvents(sellerId),
    listEvents({ seller: sellerId, state: 'failed' }, MAX_EVENTS),
    getPublicBaseUrl(),
  ])
  return (
    <>
      <SettingsSection title={settingsCopy.areas.stripe} hint={copy.hint}>
        <div className="flex flex-col gap-6">
          <Endpoint url={`${baseUrl}/ingest/stripe?seller=${sellerId}`} />
          <SecretForm state={state} />
        </div>
        <Counts counts={counts} timeZone={timeZone} />
      </SettingsSection>
      {failed.length > 0 ? (
        <FailedEvents events={failed} total={counts.failed} timeZone={timeZone} />
      ) : counts.lastAt === undefined ? (
        <EmptyState title={copy.noneYet} hint={copy.noneYetHint} />
      ) : (
        <EmptyState title={copy.noneFailed} hint={copy.noneFailedHint} />
      )}
    </>
  )
}
