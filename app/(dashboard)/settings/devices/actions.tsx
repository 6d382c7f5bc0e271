'use server'
/** Server actions for the check-in devices page. */
import type { ReactNode } from 'react'
import { type FormState, toFieldErrors } from '@/app/_components/form-state'
import { QrCode } from '@/app/_components/qr-code'
import { devicesCopy as copy } from '@/app/copy/devices'
import { parseId } from '@/app/parse-id'
import { getPublicBaseUrl } from '@/app/public-base-url'
import { requireActor } from '@/app/session'
import { createDevice, deviceSchema, revokeDevice } from '@/lib/accounts/check-in-devices'
import { changeAndRefresh, requireFound, runChange } from '../_parts/account-errors'

const PATH = '/settings/devices'

export type CreatedDevice = {
  name: string
  /** The setup code. */
  code: string
  /** The URL of the page for entering the code. */
  address: string
  /** The URL that contains the code. */
  link: string
  /** The QR code for `link`, rendered on the server so that the browser does not load the encoder. */
  qrCode: ReactNode
}

/** Creates a device. Returns its setup code and link, which cannot be shown again. */
export async function create(_: FormState<CreatedDevice>, form: FormData): Promise<FormState<CreatedDevice>> {
  const user = await requireActor('records', PATH)
  const isLimited = form.get('access') === 'some'
  const pageIds = isLimited ? [...new Set(form.getAll('pageIds').map(parseId))] : []
  const parsed = deviceSchema.safeParse({
    name: form.get('name'),
    pageIds,
    rights: [...new Set(form.getAll('rights'))],
    days: Number(form.get('days')),
  })
  const isMissingEvents = isLimited && pageIds.length === 0
  if (!parsed.success || isMissingEvents) {
    const { name, pageIds: events } = copy.fieldErrors
    const fieldErrors = parsed.success ? {} : toFieldErrors(parsed.error, { name, pageIds: events, rights: '', days: '' })
    return { errors: { ...fieldErrors, ...(isMissingEvents ? { pageIds: events } : {}) } }
  }
  return changeAndRefresh(async () => {
    const { code } = await createDevice(user.sellerId, parsed.data, user)
    const address = `${await getPublicBaseUrl()}/door/enroll`
    // The code is in the URL's fragment, which browsers do not send, so it never appears in a log.
    const link = `${address}#${code}`
    return { name: parsed.data.name, code, address, link, qrCode: <QrCode value={link} alt={copy.qrAlt} /> }
  })
}

/** Revokes a device. Returns an error message, or undefined if it succeeds. */
export async function revoke(id: unknown): Promise<string | undefined> {
  return runChange('records', PATH, (user) => requireFound(revokeDevice(user.sellerId, parseId(id), user), 'device_not_found'))
}
