'use server'
/** Server actions for the products and events page. */
import { refresh } from 'next/cache'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { addCheckoutPage, checkoutPageSchema, updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { findSeller } from '@/lib/accounts/sellers'
import { catchAccountError, mustFind, parseId } from '../_parts/account-errors'
import { pageBody } from './page-body'

const PATH = '/settings/pages'
const copy = settingsCopy.pages

async function parseForm(form: FormData, sellerId: string) {
  const { timeZone = 'UTC' } = (await findSeller(sellerId)) ?? {}
  return checkoutPageSchema.safeParse(pageBody(form, timeZone))
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
