'use server'
/** What an owner does to the shop's API keys. */
import { refresh } from 'next/cache'
import { z } from 'zod'
import { formatInstant } from '@/app/_components/cells'
import { complaintsOf, type Reply } from '@/app/_components/form-reply'
import { settingsWords } from '@/app/copy/settings'
import { requirePerson } from '@/app/session'
import { createKey, keyName, revokeKey, rotateKey } from '@/lib/accounts/api-keys'
import { EXPIRY_DAYS, endOfDayIn, inDays } from '@/lib/accounts/key-expiry'
import { SCOPES, type Scope } from '@/lib/accounts/scopes'
import { idFrom, mustFind, refusable, refusalOf } from '../_parts/refusals'

const HERE = '/settings/keys'
const words = settingsWords.keys

const HOUR_MS = 60 * 60 * 1000
const OVERLAPS = { '0': 0, '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS } satisfies Record<
  keyof typeof words.overlaps,
  number
>

const choices = z.object({
  name: keyName,
  scopes: z.array(z.enum(SCOPES)).min(1),
})

const isDay = (text: string) => z.iso.date().safeParse(text).success

/** When the key is to end: undefined for never, null where the choice is none. */
function expiryFrom(form: FormData, timeZone: string): Date | undefined | null {
  const choice = String(form.get('expiry') ?? 'never')
  if (choice === 'never') return undefined
  const days = EXPIRY_DAYS.find((count) => String(count) === choice)
  if (days !== undefined) return inDays(days)
  const day = String(form.get('day') ?? '')
  const ends = choice === 'date' && isDay(day) ? endOfDayIn(timeZone, day) : undefined
  return ends && ends.getTime() > Date.now() ? ends : null
}

/** Everything takes in what else was ticked before it was chosen. */
const scopesFrom = (form: FormData): FormDataEntryValue[] => (form.get('access') === 'full' ? ['full'] : form.getAll('scopes'))

export type MadeKey = { name: string; key: string }

export async function create(_: Reply<MadeKey>, form: FormData): Promise<Reply<MadeKey>> {
  const person = await requirePerson('settings', HERE)
  const given = choices.safeParse({ name: form.get('name'), scopes: scopesFrom(form) })
  const expiresAt = expiryFrom(form, person.timeZone)
  const { name: nameSentence, scopes: scopesSentence, day } = words.complaints
  if (!given.success || expiresAt === null) {
    const wrong = given.success ? {} : complaintsOf(given.error, { name: nameSentence, scopes: scopesSentence })
    return { complaints: { ...wrong, ...(expiresAt === null ? { day } : {}) } }
  }
  const scopes: Scope[] = [...new Set(given.data.scopes)]
  const { key } = await createKey({ sellerId: person.sellerId, name: given.data.name, scopes, expiresAt }, person)
  refresh()
  return { done: { name: given.data.name, key } }
}

const isOverlap = (text: string): text is keyof typeof OVERLAPS => Object.hasOwn(OVERLAPS, text)

export type RolledKey = { key: string; old: string }

export async function roll(_: Reply<RolledKey>, form: FormData): Promise<Reply<RolledKey>> {
  const { sellerId, timeZone, ...by } = await requirePerson('settings', HERE)
  const overlap = String(form.get('overlap') ?? '')
  if (!isOverlap(overlap)) return { complaints: { overlap: words.complaints.overlap } }
  // The page is not shown anew here: with its old key the row would go, and the box with the new key in it.
  return refusable(async () => {
    const { key, oldExpiresAt } = await mustFind(rotateKey(sellerId, idFrom(form.get('id')), OVERLAPS[overlap], by), 'key_unknown')
    const ended = Date.parse(oldExpiresAt) <= Date.now()
    return { key, old: ended ? words.oldEnded : words.oldEnds(formatInstant(oldExpiresAt, timeZone)) }
  })
}

/** @returns a sentence where it could not be done */
export async function revoke(id: unknown): Promise<string | undefined> {
  const person = await requirePerson('settings', HERE)
  const refusal = await refusalOf(() => mustFind(revokeKey(person.sellerId, idFrom(id), person), 'key_unknown'))
  refresh()
  return refusal
}
