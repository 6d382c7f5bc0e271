/** The shop's own Stripe account: where its events come in, how they fare, and those that failed. */
import type { Metadata } from 'next'
import { CopyButton } from '@/app/_components/copy-button'
import { settingsWords } from '@/app/copy/settings'
import { words as shopWords } from '@/app/copy/shop'
import { ownAddress } from '@/app/own-address'
import { requirePerson } from '@/app/session'
import { secretState } from '@/lib/sync/stripe/account'
import { countEvents, type EventCounts, type KeptEvent, listEvents } from '@/lib/sync/stripe/events'
import { ActionsCell, Area, Cell, Empty, Moment, Row, Table } from '../_parts/area'
import { RetryAll, RetryEvent } from './retry'
import { SecretForm } from './secret-form'

const words = settingsWords.stripe
const SHOWN = 50

export const metadata: Metadata = { title: `${settingsWords.areas.stripe} · ${shopWords.name}` }

function Endpoint({ url }: { url: string }) {
  return (
    <div className="text-sm">
      <h3 className="font-medium">{words.endpoint}</h3>
      <p className="flex items-center gap-2 font-mono text-[0.8125rem]">
        <span className="min-w-0 break-all">{url}</span>
        <CopyButton text={url} what={words.endpointWhat} />
      </p>
      <p className="text-quiet">{words.endpointHint}</p>
    </div>
  )
}

function Counts({ counts, timeZone }: { counts: EventCounts; timeZone: string }) {
  const { waiting, failed, lastAt } = counts
  return (
    <dl className="my-6 flex flex-wrap gap-x-10 gap-y-2 text-sm tabular-nums">
      <div>
        <dt className="text-quiet">{words.lastEvent}</dt>
        <dd>{lastAt === undefined ? settingsWords.never : <Moment at={lastAt} timeZone={timeZone} />}</dd>
      </div>
      <div>
        <dt className="text-quiet">{words.waiting}</dt>
        <dd>{waiting.toLocaleString('en')}</dd>
      </div>
      <div>
        <dt className="text-quiet">{words.failed}</dt>
        <dd className={failed > 0 ? 'text-bad' : ''}>{failed.toLocaleString('en')}</dd>
      </div>
    </dl>
  )
}

function Failed({ events, total, timeZone }: { events: KeptEvent[]; total: number; timeZone: string }) {
  const { columns } = words
  return (
    <Area title={words.failed} hint={words.failedHint} action={<RetryAll />}>
      <Table caption={words.failed} heads={Object.values(columns)} actions={settingsWords.actions}>
        {events.map(({ id, type, createdAt, attempts, error }) => (
          <Row key={id}>
            <Cell label={columns.event}>
              <span className="break-all font-mono text-[0.8125rem]">{id}</span>
            </Cell>
            <Cell label={columns.type}>{type}</Cell>
            <Cell label={columns.happened}>
              <Moment at={createdAt} timeZone={timeZone} />
            </Cell>
            <Cell label={columns.tried}>{attempts.toLocaleString('en')}</Cell>
            <Cell label={columns.reason}>{error}</Cell>
            <ActionsCell>
              <RetryEvent id={id} />
            </ActionsCell>
          </Row>
        ))}
      </Table>
      {total > events.length ? <p className="mt-2 text-quiet text-sm">{words.shown(events.length, total)}</p> : null}
    </Area>
  )
}

export default async function StripePage() {
  const { sellerId, timeZone } = await requirePerson('settings', '/settings/stripe')
  const [state, counts, failed, address] = await Promise.all([
    secretState(sellerId),
    countEvents(sellerId),
    listEvents({ seller: sellerId, state: 'failed' }, SHOWN),
    ownAddress(),
  ])
  return (
    <>
      <Area title={settingsWords.areas.stripe} hint={words.hint}>
        <div className="flex flex-col gap-6">
          <Endpoint url={`${address}/ingest/stripe?seller=${sellerId}`} />
          <SecretForm state={state} />
        </div>
        <Counts counts={counts} timeZone={timeZone} />
      </Area>
      {failed.length > 0 ? (
        <Failed events={failed} total={counts.failed} timeZone={timeZone} />
      ) : counts.lastAt === undefined ? (
        <Empty title={words.noneYet} hint={words.noneYetHint} />
      ) : (
        <Empty title={words.noneFailed} hint={words.noneFailedHint} />
      )}
    </>
  )
}
