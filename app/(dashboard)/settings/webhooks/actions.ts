'use server'
/** Server actions for the webhook settings. */
import { refresh } from 'next/cache'
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
import { resendEvents, sendTestEvent } from '@/lib/webhooks/resend-events'
import type { ActionResult } from '../_parts/action-button'
import { buildEndpointBody, buildEndpointUpdate } from './endpoint-body'

const PATH = '/settings/webhooks'

/** Returns the start of a day in a time zone, or undefined if `day` is not a date. */
const startOfDay = (timeZone: string, day: string): string | undefined =>
  dateParam.safeParse(day).success ? instantIn(timeZone, `${day}T00:00`) : undefined

/** Returns a submitted ID. If it is malformed, returns an empty string, which matches no endpoint. */
const parseEndpointId = (value: unknown): string => endpointIdParam.safeParse(value).data ?? ''

/** An endpoint's signing secret, and its URL. */
export type EndpointSecret = { url: string; secret: string }

/** Reads the secret from an endpoint's JSON. */
const parseSecret = (record: string) => JSON.parse(record) as EndpointSecret

/** Creates an endpoint. Returns its secret, which cannot be shown again. */
export async function create(_: FormState<EndpointSecret>, form: FormData): Promise<FormState<EndpointSecret>> {
  const user = await requireActor('settings', PATH)
  const parsed = createEndpointBody.safeParse(buildEndpointBody(form))
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

/** Updates only those members of an endpoint that the user has changed. Returns a message. */
export async function edit(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireActor('settings', PATH)
  const parsed = updateEndpointBody.safeParse(buildEndpointUpdate(form))
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

/** Enables an endpoint. If a day is given, resends the failed deliveries created since that day. Returns a message about the result. */
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
          : `${copy.enabled} ${copy.resent(await resendEvents(connection, sellerId, enabled, { failedSince }))}`
      },
      RESEND_MS,
    )
  // The caller refreshes the page once it has the message, because the refreshed page no longer contains the form.
  return toFormState(await toResult(() => (failedSince === undefined ? change() : runLongAction(sellerId, change))))
}

/** Disables an endpoint. Returns an error message, or undefined if it succeeds. */
export async function disable(id: unknown): Promise<string | undefined> {
  const user = await requireActor('settings', PATH)
  const changed = await changeEndpoint(user.sellerId, parseEndpointId(id), (connection, current) =>
    updateEndpoint(connection, user.sellerId, user, current, { enabled: false }),
  )
  if (changed === undefined) return copy.gone
  refresh()
  return undefined
}

/** Deletes an endpoint. The caller leaves the endpoint's page. Returns an error message if the endpoint no longer exists. */
export async function remove(id: unknown): Promise<string | undefined> {
  const user = await requireActor('settings', PATH)
  const deleted = await changeEndpoint(user.sellerId, parseEndpointId(id), async (connection, current) => {
    await deleteEndpoint(connection, user.sellerId, user, current)
    return true
  })
  return deleted === undefined ? copy.gone : undefined
}

/** Makes a change and returns its message, or an error if the endpoint or the event does not exist, or if the endpoint is disabled. */
async function toResult(change: () => Promise<string | undefined>): Promise<ActionResult> {
  try {
    const text = await change()
    return text === undefined ? { text: copy.gone, isError: true } : { text }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { text: error.code === 'endpoint_disabled' ? copy.disabledMeanwhile : copy.eventGone, isError: true }
  }
}

const toFormState = ({ text, isError }: ActionResult): FormState<string> =>
  isError ? { errors: { [FORM_ERROR_KEY]: text } } : { data: text }

/** Sends a test event. Returns a message about the result. */
export async function test(id: unknown): Promise<ActionResult> {
  const { sellerId } = await requireActor('settings', PATH)
  const result = await toResult(() =>
    changeEndpoint(sellerId, parseEndpointId(id), async (connection, current) => {
      await sendTestEvent(connection, sellerId, current)
      return copy.testSent
    }),
  )
  refresh()
  return result
}

/** Resends an event. Returns a message about the result. */
export async function resend(id: unknown, eventId: unknown): Promise<ActionResult> {
  const { sellerId } = await requireActor('settings', PATH)
  const parsed = resendBody.safeParse({ eventId })
  if (!parsed.success) return { text: copy.eventGone, isError: true }
  const result = await toResult(() =>
    changeEndpoint(sellerId, parseEndpointId(id), async (connection, current) => {
      await resendEvents(connection, sellerId, current, parsed.data)
      return copy.resendDone
    }),
  )
  refresh()
  return result
}

/** Resends the failed deliveries created since the given day. Returns a message about the result. */
export async function resendFailed(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const { sellerId, timeZone } = await requireActor('settings', PATH)
  const failedSince = startOfDay(timeZone, String(form.get('since') ?? ''))
  if (failedSince === undefined) return { errors: { since: copy.sinceError } }
  const result = await toResult(() =>
    runLongAction(sellerId, () =>
      changeEndpoint(
        sellerId,
        parseEndpointId(form.get('id')),
        async (connection, current) => copy.resent(await resendEvents(connection, sellerId, current, { failedSince })),
        RESEND_MS,
      ),
    ),
  )
  // After an error, the refreshed page might no longer contain the form that shows it.
  if (!result.isError) refresh()
  return toFormState(result)
}
