/** Keys seen before: a list can then be read in the same statement that asks whether its key still works. */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { apiKeys } from '@/db/schema'
import { isWellFormedKey, type Principal } from '../accounts/api-keys'
import type { Condition } from '../listing/page'

const MOST = 10_000
const seen = new Map<string, Principal>()

/** The key itself is nowhere kept. */
const nameOf = (key: string) => createHash('sha256').update(key).digest('base64')

/** Who a key stood for when it was last seen, which has to be asked again (`stands`) with whatever is read for it. */
export const recallPrincipal = (key: string): Principal | undefined => (isWellFormedKey(key) ? seen.get(nameOf(key)) : undefined)

export function rememberPrincipal(key: string, principal: Principal): void {
  if (seen.size >= MOST) seen.clear()
  seen.set(nameOf(key), principal)
}

const place = { id: sql.placeholder('keyId'), seller: sql.placeholder('keySeller'), scopes: sql.placeholder('keyScopes') }

const STANDS = sql`exists (
  select from ${apiKeys} where ${apiKeys.id} = ${place.id} and ${apiKeys.sellerId} = ${place.seller} and ${apiKeys.scopes} = ${place.scopes}::text[]
    and ${apiKeys.revokedAt} is null and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now()))`

/** True as long as the key is what it was. */
export const stands = ({ keyId, sellerId, scopes }: Principal): Condition => ({
  sql: STANDS,
  values: { keyId, keySeller: sellerId, keyScopes: scopes },
})
