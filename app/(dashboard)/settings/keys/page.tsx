/** Settings page: API keys. Expired and revoked ones are in a separate table, which is initially collapsed. */
import type { Metadata } from 'next'
import { formatInstant, type Tone } from '@/app/_components/cells'
import { ActionsCell, Cell, EmptyState, Row, SettingsSection, Table, Timestamp } from '@/app/_components/settings-section'
import { StatusBadge } from '@/app/_components/status-badge'
import { keysCopy as copy } from '@/app/copy/keys'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { type ApiKey, listKeys } from '@/lib/accounts/api-keys'
import { isExpiring } from '@/lib/accounts/key-expiry'
import { isScope, SCOPE_LABELS, SCOPES } from '@/lib/accounts/scopes'
import { dayIn } from '@/lib/core/time'
import { CreateKey } from './create-key'
import { ResumeKey, RevokeKey, RotateKey } from './key-actions'

export const metadata: Metadata = { title: settingsCopy.areas.keys }

type State = keyof typeof copy.states

const TONES: Record<State, Tone> = { active: 'good', paused: 'warn', expiring: 'warn', expired: 'neutral', revoked: 'neutral' }

function getState(key: ApiKey, now: number): State {
  if (key.revokedAt !== null) return 'revoked'
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now) return 'expired'
  if (key.pausedUntil !== null) return 'paused'
  return isExpiring(key, now) ? 'expiring' : 'active'
}

const formatScopes = ({ scopes }: ApiKey) => scopes.map((scope) => (isScope(scope) ? SCOPE_LABELS[scope] : scope)).join(', ')

type KeyWithState = { key: ApiKey; state: State }

function KeyTable({
  caption,
  keys,
  timeZone,
  hasActions,
}: {
  caption: string
  keys: KeyWithState[]
  timeZone: string
  hasActions: boolean
}) {
  const { columns } = copy
  const timestamp = (at: string | null) => (at === null ? settingsCopy.never : <Timestamp at={at} timeZone={timeZone} />)
  return (
    <Table caption={caption} headers={Object.values(columns)} {...(hasActions ? { actions: settingsCopy.actions } : {})}>
      {keys.map(({ key, state }) => (
        <Row key={key.id}>
          <Cell label={columns.name}>
            <span className="font-medium">{key.name}</span>
          </Cell>
          <Cell label={columns.access}>{formatScopes(key)}</Cell>
          <Cell label={columns.created}>{timestamp(key.createdAt)}</Cell>
          <Cell label={columns.lastUsed}>{timestamp(key.lastUsedAt)}</Cell>
          <Cell label={columns.expires}>{timestamp(key.expiresAt)}</Cell>
          <Cell label={columns.state}>
            <StatusBadge tone={TONES[state]}>{copy.states[state]}</StatusBadge>
            {state === 'paused' && key.pausedUntil !== null ? (
              <p className="text-quiet">{copy.pausedUntil(formatInstant(key.pausedUntil, timeZone))}</p>
            ) : null}
            {key.revokedAt === null ? null : (
              <p className="text-quiet">
                <Timestamp at={key.revokedAt} timeZone={timeZone} />
              </p>
            )}
          </Cell>
          {hasActions ? (
            <ActionsCell>
              {state === 'paused' ? <ResumeKey id={key.id} name={key.name} /> : null}
              <RotateKey id={key.id} name={key.name} />
              <RevokeKey id={key.id} name={key.name} />
            </ActionsCell>
          ) : null}
        </Row>
      ))}
    </Table>
  )
}

export default async function KeysPage() {
  const { sellerId, timeZone } = await requireUser('settings', '/settings/keys')
  const now = Date.now()
  const all = (await listKeys(sellerId)).map((key): KeyWithState => ({ key, state: getState(key, now) }))
  const isInactive = ({ state }: KeyWithState) => state === 'revoked' || state === 'expired'
  const [active, inactive] = [all.filter((key) => !isInactive(key)), all.filter(isInactive)]
  const scopes = SCOPES.filter((scope) => scope !== 'full').map((scope) => ({ scope, label: SCOPE_LABELS[scope] }))
  return (
    <SettingsSection
      title={settingsCopy.areas.keys}
      hint={copy.hint}
      action={<CreateKey scopes={scopes} today={dayIn(timeZone, new Date(now))} />}
    >
      {active.length > 0 ? (
        <KeyTable caption={settingsCopy.areas.keys} keys={active} timeZone={timeZone} hasActions />
      ) : (
        <EmptyState title={copy.none} hint={copy.noneHint} />
      )}
      {inactive.length > 0 ? (
        <details className="mt-6">
          <summary className="mb-2 cursor-pointer py-1 text-quiet text-sm">{copy.inactive(inactive.length)}</summary>
          <KeyTable caption={copy.inactive(inactive.length)} keys={inactive} timeZone={timeZone} hasActions={false} />
        </details>
      ) : null}
    </SettingsSection>
  )
}
