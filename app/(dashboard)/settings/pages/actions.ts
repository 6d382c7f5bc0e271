'use server'
/** Server actions for the products and events page. */
import { refresh } from 'next/cache'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { addCheckoutPage, checkoutPageSchema, updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { findSeller } from '@/lib/accounts/sellers'
import { instantIn } from '@/lib/core/time'
import { catchAccountError, mustFind, parseId } from '../_parts/account-errors'

const PATH = '/settings/pages'
const copy = settingsCopy.pages

/** Converts a local date and time such as `2026-11-21T19:30` to an instant. Returns null if the field is empty. */
const toInstant = (value: FormDataEntryValue | null, timeZone: string) => (value ? instantIn(timeZone, String(value)) : null)

async function parseForm(form: FormData, sellerId: string) {
  const { timeZone = 'UTC' } = (await findSeller(sellerId)) ?? {}
  const capacity = form.get('capacity')
  return checkoutPageSchema.safeParse({
    name: form.get('name'),
    entryPolicy: form.get('entryPolicy'),
    startsAt: toInstant(form.get('startsAt'), timeZone),
    endsAt: toInstant(form.get('endsAt'), timeZone),
    capacity: capacity ? Number(capacity) : null,
    offlineAdmission: form.get('offlineAdmission') !== null,
    offlineNames: form.get('offlineNames') !== null,
    offlineSearch: form.get('offlineSearch') !== null,
  })
}

/** Adds a checkout page. Returns its name. */
export async function add(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireUser('settings', PATH)
  const parsed = await parseForm(form, user.sellerId)
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.fieldErrors) }
  await addCheckoutPage(user.sellerId, parsed.data, user)
  refresh()
  return { done: parsed.data.name }
}

/** Updates a checkout page. Returns its new name. */
export async function update(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireUser('settings', PATH)
  const parsed = await parseForm(form, user.sellerId)
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.fieldErrors) }
  const state = await catchAccountError(async () => {
    await mustFind(updateCheckoutPage(user.sellerId, parseId(form.get('id')), parsed.data, user), 'page_not_found')
    return parsed.data.name
  })
  if (state.done !== undefined) refresh()
  return state
}
