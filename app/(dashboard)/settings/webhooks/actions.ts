'use server'
/** Server actions for the webhook settings. */
import { refresh } from 'next/cache'
import { redirect } from 'next/navigation'
import { FORM_ERROR_KEY, type FormState, toFieldErrors } from '@/app/_components/form-state'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { runLongAction } from '@/app/long-action'
import { requireActor } from '@/app/session'
import { dateParam } from '@/lib/catalog/list-params'
import { endpointIdParam } from '@/lib/catalog/webhook-endpoint'
import { createEndpointBody, RESEND_MS, resendBody, updateEndpointBody } from '@/lib/catalog/webhook-operations'
import { ApiError } from '@/lib/core/errors'
import { instantIn } from '@/lib/core/time'
import { addEndpoint, changeEndpoint, deleteEndpoint, rotateSecret, updateEndpoint } from '@/lib/webhooks/endpoints'
import { sendAgain, sendTestEvent } from '@/lib/webhooks/send-again'
import { changedEndpointBody, endpointBody } from './endpoint-body'

const PATH = '/settings/webhooks'

/** Returns the start of a day in a time zone, or undefined if `day` is not a date. */
const startOfDay = (timeZone: string, day: string): string | undefined =>
  dateParam.safeParse(day).success ? instantIn(timeZone, `${day}T00:00`) : undefined

/** Returns a submitted ID. Returns an empty string, which matches nothing, if the ID is malformed. */
const parseEndpointId = (value: unknown): string => endpointIdParam.safeParse(value).data ?? ''

/** An endpoint's signing secret, and its URL. */
export type EndpointSecret = { url: string; secret: string }

/** Reads the secret from an endpoint's JSON. */
const parseSecret = (record: string) => JSON.parse(record) as EndpointSecret

/** Creates an endpoint. Returns its secret, which cannot be shown again. */
export async function create(_: FormState<EndpointSecret>, form: FormData): Promise<FormState<EndpointSecret>> {
  const user = await requireActor('settings', PATH)
  const parsed = createEndpointBody.safeParse(endpointBody(form))
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, { ...copy.fieldErrors, enabled: '' }) }
  try {
    const { url, secret } = parseSecret(await addEndpoint(user.sellerId, user, parsed.data))
    refresh()
    return { data: { url, secret } }
  } catch (error) {
    if (error instanceof ApiError) return { errors: { [FORM_ERROR_KEY]: error.message } }
    throw error
  }
}

/** Updates the members of an endpoint that the user has changed. Returns a message. */
export async function edit(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireActor('settings', PATH)
  const parsed = updateEndpointBody.safeParse(changedEndpointBody(form))
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, { ...copy.fieldErrors, enabled: '' }) }
  const saved = await changeEndpoint(user.sellerId, parseEndpointId(form.get('id')), (connection, current) =>
    updateEndpoint(connection, user.sellerId, user, current, parsed.data),
  )
  if (saved === undefined) return { errors: { [FORM_ERROR_KEY]: copy.gone } }
  refresh()
  return { data: copy.saved }
}

/** Replaces the secret of an endpoint. Returns the new one, which cannot be shown again. */
export async function rotate(_: FormState<EndpointSecret>, form: FormData): Promise<FormState<EndpointSecret>> {
  const user = await requireActor('settings', PATH)
  const rotated = await changeEndpoint(user.sellerId, parseEndpointId(form.get('id')), (connection, current) =>
    rotateSecret(connection, user.sellerId, user, current),
  )
  if (rotated === undefined) return { errors: { [FORM_ERROR_KEY]: copy.gone } }
  const { url, secret } = parseSecret(rotated)
  return { data: { url, secret } }
}

/** Enables an endpoint. If a day is given, resends the failed deliveries since that day. Returns a message about the result. */
export async function enable(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireActor('settings', PATH)
  const { sellerId, timeZone } = user
  const day = String(form.get('since') ?? '')
  const failedSince = startOfDay(timeZone, day)
  if (day !== '' && failedSince === undefined) return { errors: { since: copy.sinceError } }
  const id = parseEndpointId(form.get('id'))
  const change = () =>
    changeEndpoint(
      sellerId,
      id,
      async (connection, current) => {
        const enabled = await updateEndpoint(connection, sellerId, user, current, { enabled: true })
        return failedSince === undefined
          ? copy.enabled
          : `${copy.enabled} ${copy.resent(await sendAgain(connection, sellerId, enabled, { failedSince }))}`
      },
      RESEND_MS,
    )
  const message = await toMessage(() => (failedSince === undefined ? change() : runLongAction(sellerId, change)))
  // The caller refreshes the page once it has the message, because the refreshed page no longer contains the form.
  return { data: message }
}

/** Disables an endpoint. Returns an error message, or undefined if it succeeds. */
export async function disable(id: unknown): Promise<string | undefined> {
  const user = await requireActor('settings', PATH)
  const changed = await changeEndpoint(user.sellerId, parseEndpointId(id), (connection, current) =>
    updateEndpoint(connection, user.sellerId, user, current, { enabled: false }),
  )
  refresh()
  return changed === undefined ? copy.gone : undefined
}

/** Deletes an endpoint and redirects to the list. Returns an error message if the endpoint no longer exists. */
export async function remove(id: unknown): Promise<string | undefined> {
  const user = await requireActor('settings', PATH)
  const deleted = await changeEndpoint(user.sellerId, parseEndpointId(id), async (connection, current) => {
    await deleteEndpoint(connection, user.sellerId, user, current)
    return true
  })
  if (deleted === undefined) return copy.gone
  redirect(PATH)
}

/** Runs a change and returns its message, or an error message if the endpoint does not exist or the change throws an `ApiError`. */
async function toMessage(change: () => Promise<string | undefined>): Promise<string> {
  try {
    return (await change()) ?? copy.gone
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

/** Sends a test event. Returns a message about the result. */
export async function test(id: unknown): Promise<string> {
  const { sellerId } = await requireActor('settings', PATH)
  const message = await toMessage(() =>
    changeEndpoint(sellerId, parseEndpointId(id), async (connection, current) => {
      await sendTestEvent(connection, sellerId, current)
      return copy.testSent
    }),
  )
  refresh()
  return message
}

/** Resends an event. Returns a message about the result. */
export async function resend(id: unknown, eventId: unknown): Promise<string> {
  const { sellerId } = await requireActor('settings', PATH)
  const parsed = resendBody.safeParse({ eventId })
  if (!parsed.success) return copy.gone
  const message = await toMessage(() =>
    changeEndpoint(sellerId, parseEndpointId(id), async (connection, current) => {
      await sendAgain(connection, sellerId, current, parsed.data)
      return copy.resendDone
    }),
  )
  refresh()
  return message
}

/** Resends the failed deliveries since a day. Returns a message about the result. */
export async function resendFailed(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const { sellerId, timeZone } = await requireActor('settings', PATH)
  const failedSince = startOfDay(timeZone, String(form.get('since') ?? ''))
  if (failedSince === undefined) return { errors: { since: copy.sinceError } }
  const message = await toMessage(() =>
    runLongAction(sellerId, () =>
      changeEndpoint(
        sellerId,
        parseEndpointId(form.get('id')),
        async (connection, current) => copy.resent(await sendAgain(connection, sellerId, current, { failedSince })),
        RESEND_MS,
      ),
    ),
  )
  refresh()
  return { data: message }
}
