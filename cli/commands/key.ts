/** desk key create, list, revoke, roll */
import { z } from 'zod'
import { createKey, keyName, listKeys, revokeKey, rotateKey } from '@/lib/accounts/api-keys'
import { isScope, SCOPES, type Scope } from '@/lib/accounts/scopes'
import { findSeller } from '@/lib/accounts/sellers'
import { type Command, CommandError, check, type Values, withDatabase } from '../command'
import { parseDuration } from '../duration'

/** @throws {CommandError} where there is no such seller */
export async function mustBeSeller(id: string): Promise<string> {
  const seller = await findSeller(id.toLowerCase())
  if (!seller) throw new CommandError(`There is no seller ${id}. \`desk seller create\` makes one.`)
  return seller.id
}

const newKey = z.object({
  name: keyName,
  expires: z.iso.datetime({ offset: true, error: 'must be an instant such as 2027-01-01T00:00:00Z' }).optional(),
})

function scopesFrom(values: Values): Scope[] {
  const names = values.all('scope')
  if (names.length === 0) return ['full']
  for (const name of names) if (!isScope(name)) throw new CommandError(`There is no scope ${name}. The scopes are ${SCOPES.join(', ')}.`)
  return [...new Set(names as Scope[])]
}

const unknownKey = (id: string) => new CommandError(`The seller has no key ${id} that can be used. \`desk key list\` shows its keys.`)

const seller = { seller: { type: 'string' } } as const
const SELLER = '--seller ID     whose key it is'

export const keyCreate: Command = {
  name: 'key create',
  usage: '--seller ID --name N [--scope S]… [--expires ISO]',
  summary: 'Makes an API key and prints it, this once.',
  details: [
    SELLER,
    '--name N        what it is for, so that it can be told from the others',
    `--scope S       one of ${SCOPES.join(', ')}; may be repeated; full if not given`,
    '--expires ISO   when it ends, such as 2027-01-01T00:00:00Z; never if not given',
  ],
  options: { ...seller, name: { type: 'string' }, scope: { type: 'string', multiple: true }, expires: { type: 'string' } },
  arguments: [0, 0],
  async run(values) {
    const { name, expires } = check(newKey, { name: values.required('name'), expires: values.text('expires') })
    const scopes = scopesFrom(values)
    const expiresAt = expires === undefined ? undefined : new Date(expires)
    if (expiresAt && expiresAt.getTime() <= Date.now()) throw new CommandError('--expires lies in the past. Give a time to come.')
    const id = values.required('seller')
    return { output: await withDatabase(async () => createKey({ sellerId: await mustBeSeller(id), name, scopes, expiresAt })) }
  },
}

export const keyList: Command = {
  name: 'key list',
  usage: '--seller ID',
  summary: 'Lists a seller’s API keys; not the keys themselves, which are kept nowhere.',
  details: [SELLER],
  options: seller,
  arguments: [0, 0],
  async run(values) {
    const id = values.required('seller')
    return { output: await withDatabase(async () => ({ data: await listKeys(await mustBeSeller(id)) })) }
  },
}

export const keyRevoke: Command = {
  name: 'key revoke',
  usage: 'ID --seller ID',
  summary: 'Ends an API key: the next request with it fails.',
  details: [SELLER],
  options: seller,
  arguments: [1, 1],
  async run(values, [id = '']) {
    const sellerId = values.required('seller')
    const revoked = await withDatabase(async () => revokeKey(await mustBeSeller(sellerId), id.toLowerCase()))
    if (!revoked) throw unknownKey(id)
    return { output: { id, revoked: true } }
  },
}

export const keyRotate: Command = {
  name: 'key roll',
  usage: 'ID --seller ID [--overlap 24h]',
  summary: 'Makes a new key with the name and scopes of an old one, which goes on working for the overlap.',
  details: [SELLER, '--overlap T     how long both work: 90s, 30m, 24h, 7d or 0; 24h if not given'],
  options: { ...seller, overlap: { type: 'string' } },
  arguments: [1, 1],
  async run(values, [id = '']) {
    const sellerId = values.required('seller')
    const overlap = parseDuration(values.text('overlap') ?? '24h')
    if (overlap === undefined) throw new CommandError('--overlap must be a length of time such as 90s, 30m, 24h, 7d or 0, up to 365d.')
    const rotated = await withDatabase(async () => rotateKey(await mustBeSeller(sellerId), id.toLowerCase(), overlap))
    if (!rotated) throw unknownKey(id)
    return { output: rotated }
  },
}
