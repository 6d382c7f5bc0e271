/** desk key create, list, revoke, rotate, resume */
import { z } from 'zod'
import { createKey, keyName, listKeys, revokeKey, rotateKey } from '@/lib/accounts/api-keys'
import { resumeKey } from '@/lib/accounts/pause-key'
import { isScope, SCOPES, type Scope } from '@/lib/accounts/scopes'
import { type Command, CommandError, check, type Values } from '../command'
import { withSeller } from '../with-seller'

const newKey = z.object({
  name: keyName,
  expires: z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-01T00:00:00Z' }).optional(),
})

/** Returns the scopes from --scope, or `full` if there are none. @throws {CommandError} if a scope is unknown */
function parseScopes(values: Values): Scope[] {
  const names = values.all('scope')
  if (names.length === 0) return ['full']
  for (const name of names) if (!isScope(name)) throw new CommandError(`Unknown scope ${name}. Use one of ${SCOPES.join(', ')}.`)
  return [...new Set(names as Scope[])]
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a duration such as 90s or 24h. Returns milliseconds, or undefined if the text is not a duration of at most 365 days. */
function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  if (!match) return text === '0' ? 0 : undefined
  const ms = Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
  return ms <= 365 * UNITS.d ? ms : undefined
}

/**
 * Applies a change to a key of the seller in --seller, and returns its result.
 *
 * @param change returns a falsy value if the seller has no such key
 * @param kind the kind of key that can be changed, for the error message
 * @throws {CommandError} if the seller has no such key
 */
async function changeKey<T>(values: Values, id: string, change: (sellerId: string, id: string) => Promise<T>, kind: string) {
  const changed = await withSeller(values.required('seller'), (sellerId) => change(sellerId, id.toLowerCase()))
  if (!changed) throw new CommandError(`No ${kind} with ID ${id}. Run \`desk key list\` to list the seller’s keys.`)
  return changed
}

const seller = { seller: { type: 'string' } } as const
const SELLER = '--seller ID     the seller’s ID'

export const keyCreate: Command = {
  name: 'key create',
  usage: '--seller ID --name N [--scope S]… [--expires ISO]',
  summary: 'Creates an API key and prints it. It cannot be shown again.',
  details: [
    SELLER,
    '--name N        a name to recognize the key by',
    `--scope S       one of ${SCOPES.join(', ')}; repeatable (default: full)`,
    '--expires ISO   when the key expires, such as 2027-01-01T00:00:00Z (default: never)',
  ],
  options: { ...seller, name: { type: 'string' }, scope: { type: 'string', multiple: true }, expires: { type: 'string' } },
  arguments: [0, 0],
  async run(values) {
    const { name, expires } = check(newKey, { name: values.required('name'), expires: values.text('expires') })
    const scopes = parseScopes(values)
    const expiresAt = expires === undefined ? undefined : new Date(expires)
    if (expiresAt && expiresAt.getTime() <= Date.now()) throw new CommandError('--expires is in the past. Use a future time.')
    const seller = values.required('seller')
    return { output: await withSeller(seller, (sellerId) => createKey({ sellerId, name, scopes, expiresAt })) }
  },
}

export const keyList: Command = {
  name: 'key list',
  usage: '--seller ID',
  summary: 'Lists a seller’s API keys with their IDs, names and scopes. The keys themselves are not stored.',
  details: [SELLER],
  options: seller,
  arguments: [0, 0],
  async run(values) {
    return { output: { data: await withSeller(values.required('seller'), listKeys) } }
  },
}

export const keyRevoke: Command = {
  name: 'key revoke',
  usage: 'ID --seller ID',
  summary: 'Revokes an API key. All servers reject it within a second.',
  details: [SELLER],
  options: seller,
  arguments: [1, 1],
  async run(values, [id = '']) {
    await changeKey(values, id, revokeKey, 'API key')
    return { output: { id, revoked: true } }
  },
}

export const keyRotate: Command = {
  name: 'key rotate',
  usage: 'ID --seller ID [--overlap 24h]',
  summary: 'Creates a new key with the same name, scopes and original expiration. The old key keeps working until the overlap ends.',
  details: [SELLER, '--overlap T     how long both keys work: 90s, 30m, 24h, 7d or 0 (default: 24h)'],
  options: { ...seller, overlap: { type: 'string' } },
  arguments: [1, 1],
  async run(values, [id = '']) {
    const overlap = parseDuration(values.text('overlap') ?? '24h')
    if (overlap === undefined) throw new CommandError('--overlap must be a duration such as 90s, 30m, 24h, 7d or 0, up to 365d.')
    return { output: await changeKey(values, id, (sellerId, keyId) => rotateKey(sellerId, keyId, overlap), 'active API key') }
  },
}

export const keyResume: Command = {
  name: 'key resume',
  usage: 'ID --seller ID',
  summary: 'Resumes an API key that was paused because of guessed ticket codes. All servers accept it again within a second.',
  details: [SELLER],
  options: seller,
  arguments: [1, 1],
  async run(values, [id = '']) {
    await changeKey(values, id, resumeKey, 'paused API key')
    return { output: { id, resumed: true } }
  },
}
