'use server'
/** Server actions for the API keys page. */
import { refresh } from 'next/cache'
import { z } from 'zod'
import { formatInstant } from '@/app/_components/cells'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { keysCopy as copy } from '@/app/copy/keys'
import { parseId } from '@/app/parse-id'
import { requireActor } from '@/app/session'
import { createKey, keyName, revokeKey, rotateKey } from '@/lib/accounts/api-keys'
import { EXPIRY_DAYS, endOfDayIn, inDays } from '@/lib/accounts/key-expiry'
import { resumeKey } from '@/lib/accounts/pause-key'
import { SCOPES, type Scope } from '@/lib/accounts/scopes'
import { catchAccountError, requireFound, runChange } from '../_parts/account-errors'

const PATH = '/settings/keys'

const HOUR_MS = 60 * 60 * 1000
/** How long the old key keeps working after a rotation, in milliseconds. */
const OVERLAPS = { '0': 0, '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS } satisfies Record<keyof typeof copy.overlaps, number>

const keySchema = z.object({
  name: keyName,
  scopes: z.array(z.enum(SCOPES)).min(1),
})

const isDay = (text: string) => z.iso.date().safeParse(text).success

/** Parses the expiration date. Returns undefined if the key never expires, and null if the date is invalid, has passed, or is too late. */
function parseExpiry(form: FormData, timeZone: string): Date | undefined | null {
  const choice = String(form.get('expiry') ?? 'never')
  if (choice === 'never') return undefined
  const days = EXPIRY_DAYS.find((count) => String(count) === choice)
  if (days !== undefined) return inDays(days)
  const day = String(form.get('day') ?? '')
  const expiresAt = choice === 'date' && isDay(day) ? endOfDayIn(timeZone, day) : undefined
  return expiresAt && expiresAt.getTime() > Date.now() ? expiresAt : null
}

/** Returns the selected scopes. Full access overrides individually selected permissions. */
const parseScopes = (form: FormData): FormDataEntryValue[] => (form.get('access') === 'full' ? ['full'] : form.getAll('scopes'))

export type CreatedKey = { name: string; key: string }

/** Creates a key. Returns its name and the key, which cannot be shown again. */
export async function create(_: FormState<CreatedKey>, form: FormData): Promise<FormState<CreatedKey>> {
  const user = await requireActor('settings', PATH)
  const parsed = keySchema.safeParse({ name: form.get('name'), scopes: parseScopes(form) })
  const expiresAt = parseExpiry(form, user.timeZone)
  const { name: nameError, scopes: scopesError, day } = copy.fieldErrors
  if (!parsed.success || expiresAt === null) {
    const fieldErrors = parsed.success ? {} : toFieldErrors(parsed.error, { name: nameError, scopes: scopesError })
    return { errors: { ...fieldErrors, ...(expiresAt === null ? { day } : {}) } }
  }
  const scopes: Scope[] = [...new Set(parsed.data.scopes)]
  const { key } = await createKey({ sellerId: user.sellerId, name: parsed.data.name, scopes, expiresAt }, user)
  refresh()
  return { data: { name: parsed.data.name, key } }
}

const isOverlap = (text: string): text is keyof typeof OVERLAPS => Object.hasOwn(OVERLAPS, text)

/** A new key, and a sentence about the expiry of the old one. */
export type RotatedKey = { key: string; oldExpiry: string }

/** Replaces a key with a new one that has the same name, permissions and expiration date. */
export async function rotate(_: FormState<RotatedKey>, form: FormData): Promise<FormState<RotatedKey>> {
  const { sellerId, timeZone, ...actor } = await requireActor('settings', PATH)
  const overlap = String(form.get('overlap') ?? '')
  if (!isOverlap(overlap)) return { errors: { overlap: copy.fieldErrors.overlap } }
  // The page is not refreshed here, because that would remove the old key's row, and with it the dialog that shows the new key.
  return catchAccountError(async () => {
    const { key, oldExpiresAt } = await requireFound(
      rotateKey(sellerId, parseId(form.get('id')), OVERLAPS[overlap], actor),
      'key_not_found',
    )
    const isExpired = Date.parse(oldExpiresAt) <= Date.now()
    return { key, oldExpiry: isExpired ? copy.oldExpired : copy.oldExpires(formatInstant(oldExpiresAt, timeZone)) }
  })
}

/** Revokes a key. Returns an error message, or undefined if it succeeds. */
export async function revoke(id: unknown): Promise<string | undefined> {
  return runChange('settings', PATH, (user) => requireFound(revokeKey(user.sellerId, parseId(id), user), 'key_not_found'))
}

/** Resumes a paused key. Returns an error message, or undefined if it succeeds. */
export async function resume(id: unknown): Promise<string | undefined> {
  return runChange('settings', PATH, (user) => requireFound(resumeKey(user.sellerId, parseId(id), user), 'key_not_paused'))
}
