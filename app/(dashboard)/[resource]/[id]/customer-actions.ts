'use server'
/** Server actions for the customer page. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState, toFieldErrors } from '@/app/_components/form-state'
import { customerCopy as copy } from '@/app/copy/customer'
import { runLongAction } from '@/app/long-action'
import { parseId } from '@/app/parse-id'
import { requireActor } from '@/app/session'
import { updateCustomerBody } from '@/lib/catalog/customer-operations'
import { computeEtag } from '@/lib/http/etag'
import { editCustomer as saveCustomer } from '@/lib/sync/edit/customers'
import { eraseCustomerById } from '@/lib/sync/erase/erase-customer'
import { buildCustomerBody, type EditableCustomer } from './customer-body'

type EditState = FormState<string, EditableCustomer>

/** Updates a customer. If the customer has changed since the form was opened, changes nothing and returns the latest version. */
export async function editCustomer(_: EditState, form: FormData): Promise<EditState> {
  const id = parseId(form.get('id'))
  const user = await requireActor('records', `/customers/${id}`)
  const parsed = updateCustomerBody.safeParse(buildCustomerBody(form))
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.fieldErrors) }
  let latest: EditableCustomer | undefined
  const isUnchanged = (current: string) => {
    latest = { ...(JSON.parse(current) as Omit<EditableCustomer, 'etag'>), etag: computeEtag(current) }
    return latest.etag === form.get('etag')
  }
  const outcome = await saveCustomer(user.sellerId, user, id, isUnchanged, parsed.data)
  if (outcome === 'gone') return { errors: { [FORM_ERROR_KEY]: copy.gone } }
  refresh()
  if (outcome !== 'saved') return { errors: { [FORM_ERROR_KEY]: copy.editConflict }, latest }
  return { data: copy.saved }
}

/** Erases a customer's personal data. Only owners may do this. Returns an error message if the customer no longer exists. */
export async function erase(customerId: string): Promise<string | undefined> {
  const id = parseId(customerId)
  const user = await requireActor('settings', `/customers/${id}`)
  if (!(await runLongAction(user.sellerId, () => eraseCustomerById(user.sellerId, user, id)))) return copy.gone
  refresh()
  return undefined
}
