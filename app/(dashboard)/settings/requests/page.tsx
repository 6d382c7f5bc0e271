/** Settings page: the log of API requests made with the shop's keys, newest first, with filters and search by request ID. */
import { STATUS_CODES } from 'node:http'
import type { Metadata } from 'next'
import type { Tone } from '@/app/_components/cells'
import { describeFilters } from '@/app/_components/describe-filter'
import type { Filter } from '@/app/_components/filter'
import { Link } from '@/app/_components/link'
import { Pager } from '@/app/_components/pager'
import { Cell, EmptyState, InvalidLink, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { StatusBadge } from '@/app/_components/status-badge'
import { Toolbar } from '@/app/_components/toolbar'
import { withParams } from '@/app/_components/with-params'
import { docsCopy } from '@/app/copy/docs'
import { listCopy } from '@/app/copy/list'
import { requestLogCopy as copy } from '@/app/copy/requests'
import { settingsCopy } from '@/app/copy/settings'
import { loadList, type SearchParams, toQuery } from '@/app/load-list'
import { requireUser } from '@/app/session'
import { type ApiKey, listKeys } from '@/lib/accounts/api-keys'
import { listRequests, type RequestLogEntry, requestParams, STATUS_CLASSES } from '@/lib/http/list-requests'
import type { Page } from '@/lib/listing/keyset'

export const metadata: Metadata = { title: settingsCopy.areas.requests }

const PATH = '/settings/requests'

const statusTone = (status: number): Tone => (status < 400 ? 'good' : status < 500 ? 'warn' : 'bad')

function makeFilters(keys: ApiKey[]): Filter[] {
  const isInactive = ({ revokedAt, expiresAt }: ApiKey) => revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
  return [
    {
      kind: 'choice',
      name: 'status',
      isSingle: true,
      label: copy.status,
      choices: STATUS_CLASSES.map((name) => ({ value: name, label: copy.statuses[name] })),
    },
    {
      kind: 'choice',
      name: 'key',
      isSingle: true,
      label: copy.key,
      choices: keys.map((key) => ({ value: key.id, label: isInactive(key) ? copy.inactiveKey(key.name) : key.name })),
    },
  ]
}

function Requests({ requests, keys, timeZone }: { requests: RequestLogEntry[]; keys: ApiKey[]; timeZone: string }) {
  const { columns } = copy
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  return (
    <Table caption={settingsCopy.areas.requests} headers={Object.values(columns)}>
      {requests.map(({ requestId, at, method, route, status, ms, keyId }) => (
        <Row key={requestId}>
          <Cell label={columns.at}>
            <Timestamp at={at} timeZone={timeZone} withSeconds />
          </Cell>
          <Cell label={columns.operation}>
            <code className="text-[0.8125rem] xl:whitespace-nowrap">{`${method} ${route}`}</code>
          </Cell>
          <Cell label={columns.status}>
            <StatusBadge tone={statusTone(status)}>{`${status} ${STATUS_CODES[status] ?? ''}`}</StatusBadge>
          </Cell>
          <Cell label={columns.duration}>
            <span className="whitespace-nowrap">{copy.duration(ms)}</span>
          </Cell>
          <Cell label={columns.key}>
            <Link href="/settings/keys" className="underline-offset-4 hover:underline">
              {names.get(keyId) ?? keyId}
            </Link>
          </Cell>
          <Cell label={columns.id}>
            <code className="break-all text-[0.8125rem] xl:whitespace-nowrap">{requestId}</code>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

/** Explains why there are no rows: there are no requests yet, or none match. */
function NoResults({ query }: { query: URLSearchParams }) {
  if (query.size === 0) {
    return (
      <EmptyState title={copy.none} hint={copy.noneHint}>
        <a className="button" href="/docs">
          {docsCopy.link}
        </a>
      </EmptyState>
    )
  }
  const isSearch = query.has('search') && !query.has('status') && !query.has('key')
  return (
    <EmptyState title={isSearch ? copy.unknown : copy.nothingHere} hint={isSearch ? copy.unknownHint : copy.nothingHereHint}>
      <Link className="button" href={PATH}>
        {copy.all}
      </Link>
    </EmptyState>
  )
}

function Results({ page, query, ...props }: { page: Page<RequestLogEntry>; query: URLSearchParams; keys: ApiKey[]; timeZone: string }) {
  const { rows: requests, hasPrevious, hasNext } = page
  const [first, last] = [requests[0], requests.at(-1)]
  if (!first || !last) return <NoResults query={query} />
  return (
    <>
      <Requests requests={requests} {...props} />
      <Pager
        path={PATH}
        query={query}
        titles={{ previous: listCopy.newer(copy.what), next: listCopy.older(copy.what) }}
        previous={hasPrevious ? first.requestId : undefined}
        next={hasNext ? last.requestId : undefined}
        position={copy.shown(requests.length)}
      />
    </>
  )
}

export default async function RequestsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = toQuery(await searchParams)
  const { sellerId, timeZone } = await requireUser('settings', withParams(PATH, query))
  const [{ page, error }, keys] = await Promise.all([
    loadList(query, requestParams, (params) => listRequests(sellerId, params)),
    listKeys(sellerId),
  ])
  return (
    <SettingsSection title={settingsCopy.areas.requests} hint={copy.hint}>
      <div className="mb-3 flex flex-wrap gap-2">
        <Toolbar
          path={PATH}
          copy={{ search: copy.search, hint: copy.searchHint, members: copy.searchHint }}
          filters={describeFilters(makeFilters(keys), query)}
        />
      </div>
      {page ? (
        <Results page={page} query={query} keys={keys} timeZone={timeZone} />
      ) : (
        <InvalidLink hint={error} href={PATH} label={copy.all} />
      )}
    </SettingsSection>
  )
}
