/** The shop's API keys: those that work, and those that have ended. */
import type { Metadata } from 'next'
import type { Tone } from '@/app/_components/cells'
import { StatusMark } from '@/app/_components/status-mark'
import { settingsWords } from '@/app/copy/settings'
import { words as shopWords } from '@/app/copy/shop'
import { requirePerson } from '@/app/session'
import { type ApiKey, listKeys } from '@/lib/accounts/api-keys'
import { isScope, SCOPES } from '@/lib/accounts/scopes'
import { dayIn } from '@/lib/core/time'
import { ActionsCell, Area, Cell, Empty, Moment, Row, Table } from '../_parts/area'
import { CreateKey } from './create-key'
import { RevokeKey, RollKey } from './key-actions'

const words = settingsWords.keys

export const metadata: Metadata = { title: `${settingsWords.areas.keys} · ${shopWords.name}` }

const SOON_MS = 7 * 24 * 60 * 60 * 1000

type State = keyof typeof words.states

const TONES: Record<State, Tone> = { active: 'good', ending: 'warn', expired: 'idle', revoked: 'idle' }

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): State {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'active'
  const left = Date.parse(expiresAt) - now
  return left <= 0 ? 'expired' : left < SOON_MS ? 'ending' : 'active'
}

const accessOf = ({ scopes }: ApiKey) => scopes.map((scope) => (isScope(scope) ? settingsWords.scopes[scope] : scope)).join(', ')

type Shown = { key: ApiKey; state: State }

function KeyTable({ caption, keys, timeZone, works }: { caption: string; keys: Shown[]; timeZone: string; works: boolean }) {
  const { columns } = words
  const moment = (at: string | null) => (at === null ? settingsWords.never : <Moment at={at} timeZone={timeZone} />)
  return (
    <Table caption={caption} heads={Object.values(columns)} {...(works ? { actions: settingsWords.actions } : {})}>
      {keys.map(({ key, state }) => (
        <Row key={key.id}>
          <Cell label={columns.name}>
            <span className="font-medium">{key.name}</span>
          </Cell>
          <Cell label={columns.access}>{accessOf(key)}</Cell>
          <Cell label={columns.created}>{moment(key.createdAt)}</Cell>
          <Cell label={columns.lastUsed}>{moment(key.lastUsedAt)}</Cell>
          <Cell label={columns.ends}>{moment(key.revokedAt ?? key.expiresAt)}</Cell>
          <Cell label={columns.state}>
            <StatusMark tone={TONES[state]}>{words.states[state]}</StatusMark>
          </Cell>
          {works ? (
            <ActionsCell>
              <RollKey id={key.id} name={key.name} />
              <RevokeKey id={key.id} name={key.name} />
            </ActionsCell>
          ) : null}
        </Row>
      ))}
    </Table>
  )
}

export default async function KeysPage() {
  const { sellerId, timeZone } = await requirePerson('settings', '/settings/keys')
  const now = Date.now()
  const all = (await listKeys(sellerId)).map((key): Shown => ({ key, state: stateOf(key, now) }))
  const hasEnded = ({ state }: Shown) => state === 'revoked' || state === 'expired'
  const [working, ended] = [all.filter((one) => !hasEnded(one)), all.filter(hasEnded)]
  const scopes = SCOPES.filter((scope) => scope !== 'full')
  return (
    <Area title={settingsWords.areas.keys} hint={words.hint} action={<CreateKey scopes={scopes} today={dayIn(timeZone, new Date(now))} />}>
      {working.length > 0 ? (
        <KeyTable caption={settingsWords.areas.keys} keys={working} timeZone={timeZone} works />
      ) : (
        <Empty title={words.none} hint={words.noneHint} />
      )}
      {ended.length > 0 ? (
        <details className="mt-6">
          <summary className="mb-2 cursor-pointer py-1 text-quiet text-sm">{words.ended(ended.length)}</summary>
          <KeyTable caption={words.ended(ended.length)} keys={ended} timeZone={timeZone} works={false} />
        </details>
      ) : null}
    </Area>
  )
}
