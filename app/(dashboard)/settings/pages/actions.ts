'use server'
/** Server actions for the products and events page. */
import { refresh } from 'next/cache'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { settingsCopy } from '@/app/copy/settings'
import { parseId } from '@/app/parse-id'
import { requireActor } from '@/app/session'
import { addCheckoutPage, checkoutPageSchema, updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { changeAndRefresh, requireFound } from '../_parts/account-errors'
import { buildPageBody, parsePageChanges } from './page-body'

const PATH = '/settings/pages'
const copy = settingsCopy.pages

/** Adds a checkout page. Returns a message. */
export async function add(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireActor('settings', PATH)
  const parsed = checkoutPageSchema.safeParse(buildPageBody(form, user.timeZone))
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.fieldErrors) }
  await addCheckoutPage(user.sellerId, parsed.data, user)
  refresh()
  return { data: copy.added(parsed.data.name) }
}

/** Updates only those members of a checkout page that the user has changed. Returns a message. */
export async function update(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireActor('settings', PATH)
  const body = buildPageBody(form, user.timeZone)
  const parsed = parsePageChanges(form, body)
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.fieldErrors) }
  return changeAndRefresh(async () => {
    await requireFound(updateCheckoutPage(user.sellerId, parseId(form.get('id')), parsed.data, user), 'page_not_found')
    return copy.saved(parsed.data.name ?? String(body.name))
  })
}
