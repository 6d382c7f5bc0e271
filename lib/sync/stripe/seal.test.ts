/** Signing secrets are stored encrypted, and can be decrypted only for their owner with the same NEXTAUTH_SECRET. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it, vi } from 'vitest'
import { makeAccount, rows } from '@/testing/ingest'
import { openTestDatabase } from '@/testing/seller'
import { SECRET } from '@/testing/stripe'
import { seal, UnsealError, unseal } from '../../core/seal'
import { listAudit } from '../../listing/list-audit'
import { findAccount, secretSchema, secretState, setSecret } from './account'

beforeAll(openTestDatabase)

it('decrypts only for the owner, produces a different ciphertext each time, and rejects modified or truncated data', async () => {
  const [sealed, again] = [await seal(SECRET, 'a'), await seal(SECRET, 'a')]
  expect(await unseal(sealed, 'a')).toBe(SECRET)
  expect(sealed.equals(again)).toBe(false)
  await expect(unseal(sealed, 'b')).rejects.toThrow(UnsealError)
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    await expect(unseal(changed, 'a')).rejects.toThrow(UnsealError)
  }
  await expect(unseal(sealed.subarray(0, 20), 'a')).rejects.toThrow(UnsealError)
})

it('stores the secret encrypted, and requires a new one after NEXTAUTH_SECRET changes', async () => {
  const seller = await makeAccount()
  const [row] = await rows<{ text: string }>(sql`select encode(secret, 'hex') as text from stripe_accounts where seller_id = ${seller}`)
  expect(row?.text).not.toContain(Buffer.from('whsec').toString('hex'))
  expect(JSON.stringify(await listAudit(seller))).not.toContain('whsec')
  expect(await secretState(seller)).toBe('set')
  const before = process.env.NEXTAUTH_SECRET
  process.env.NEXTAUTH_SECRET = 'another secret of at least 32 characters'
  vi.resetModules()
  try {
    const later = await import('./account')
    expect(await later.secretState(seller)).toBe('lost')
    expect(await later.findAccount(seller)).toBeUndefined()
    await later.setSecret(seller, 'whsec_new_0123456789', undefined)
    expect(await later.findAccount(seller)).toEqual({ seller, secret: 'whsec_new_0123456789' })
  } finally {
    process.env.NEXTAUTH_SECRET = before
  }
  expect(await secretState(seller)).toBe('lost')
  await setSecret(seller, SECRET, undefined)
  expect(await findAccount(seller)).toEqual({ seller, secret: SECRET })
  await makeAccount()
  expect(await findAccount(undefined), 'no seller is given, although several have an account').toBeUndefined()
})

it('rejects a secret that is not in Stripe’s format', () => {
  expect(secretSchema.parse({ secret: ` ${SECRET}\n` }).secret).toBe(SECRET)
  for (const wrong of ['', 'whsec_', 'sk_live_0123456789', 'whsec_0123 456789', `whsec_${'x'.repeat(300)}`])
    expect(secretSchema.safeParse({ secret: wrong }).success).toBe(false)
})
