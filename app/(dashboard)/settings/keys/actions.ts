'use server'
/** Server actions of the API keys page. */
import { refresh } from 'next/cache'
import { z } from 'zod'
import { formatInstant } from '@/app/_components/cells'
import { fieldErrorsOf, type Reply } from '@/app/_components/form-reply'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { createKey, keyName, revokeKey, rotateKey } from '@/lib/accounts/api-keys'
import { EXPIRY_DAYS, endOfDayIn, inDays } from '@/lib/accounts/key-expiry'
import { SCOPES, type Scope } from '@/lib/accounts/scopes'
import { accountErrorOf, catchAccountError, idFrom, mustFind } from '../_parts/account-errors'

const HERE = '/settings/keys'
const copy = settingsCopy.keys

const HOUR_MS = 60 * 60 * 1000
const OVERLAPS = { '0': 0, '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS } satisfies Record<keyof typeof copy.overlaps, number>

const choices = z.object({
  name: keyName,
  scopes: z.array(z.enum(SCOPES)).min(1),
})

const isDay = (text: string) => z.iso.date().safeParse(text).success

/** Parses the expiration: undefined for never, null if invalid. */
function expiryFrom(form: FormData, timeZone: string): Date | undefined | null {
  const choice = String(form.get('expiry') ?? 'never')
  if (choice === 'never') return undefined
  const days = EXPIRY_DAYS.find((count) => String(count) === choice)
  if (days !== undefined) return inDays(days)
  const day = String(form.get('day') ?? '')
  const ends = choice === 'date' && isDay(day) ? endOfDayIn(timeZone, day) : undefined
  return ends && ends.getTime() > Date.now() ? ends : null
}

/** Full access overrides permissions that were selected before it. */
const scopesFrom = (form: FormData): FormDataEntryValue[] => (form.get('access') === 'full' ? ['full'] : form.getAll('scopes'))

export type CreatedKey = { name: string; key: string }

export async function create(_: Reply<CreatedKey>, form: FormData): Promise<Reply<CreatedKey>> {
  const user = await requireUser('settings', HERE)
  const given = choices.safeParse({ name: form.get('name'), scopes: scopesFrom(form) })
  const expiresAt = expiryFrom(form, user.timeZone)
  const { name: nameError, scopes: scopesError, day } = copy.fieldErrors
  if (!given.success || expiresAt === null) {
    const wrong = given.success ? {} : fieldErrorsOf(given.error, { name: nameError, scopes: scopesError })
    return { errors: { ...wrong, ...(expiresAt === null ? { day } : {}) } }
  }
  const scopes: Scope[] = [...new Set(given.data.scopes)]
  const { key } = await createKey({ sellerId: user.sellerId, name: given.data.name, scopes, expiresAt }, user)
  refresh()
  return { done: { name: given.data.name, key } }
}

const isOverlap = (text: string): text is keyof typeof OVERLAPS => Object.hasOwn(OVERLAPS, text)

export type RotatedKey = { key: string; old: string }

export async function rotate(_: Reply<RotatedKey>, form: FormData): Promise<Reply<RotatedKey>> {
  const { sellerId, timeZone, ...by } = await requireUser('settings', HERE)
  const overlap = String(form.get('overlap') ?? '')
  if (!isOverlap(overlap)) return { errors: { overlap: copy.fieldErrors.overlap } }
  // No refresh here: it would remove the old key's row, and with it the dialog that shows the new key.
  return catchAccountError(async () => {
    const { key, oldExpiresAt } = await mustFind(rotateKey(sellerId, idFrom(form.get('id')), OVERLAPS[overlap], by), 'key_unknown')
    const isExpired = Date.parse(oldExpiresAt) <= Date.now()
    return { key, old: isExpired ? copy.oldExpired : copy.oldExpires(formatInstant(oldExpiresAt, timeZone)) }
  })
}

/** Revokes a key. Returns an error message, or undefined if it succeeds. */
export async function revoke(id: unknown): Promise<string | undefined> {
  const user = await requireUser('settings', HERE)
  const message = await accountErrorOf(() => mustFind(revokeKey(user.sellerId, idFrom(id), user), 'key_unknown'))
  refresh()
  return message
}
