/** Sends the browser's scans before it becomes a new device, which may not be able to report them. */
import { FORM_ERROR_KEY, type FormState } from '@/app/_components/form-state'
import { deviceSetupCopy } from '@/app/copy/device-setup'
import { reportUnsent } from '../offline/open-engine'
import { enroll } from './actions'

/** Sends the previous device's scans, and then sets up the new one. Returns an error if some scans cannot be sent yet or cannot be read. */
export async function enrollAfterReporting(previous: FormState, form: FormData): Promise<FormState> {
  const unsent = await reportUnsent().catch(() => undefined)
  if (unsent === undefined) return { errors: { [FORM_ERROR_KEY]: deviceSetupCopy.storageError } }
  return unsent > 0 ? { errors: { [FORM_ERROR_KEY]: deviceSetupCopy.unsent(unsent) } } : enroll(previous, form)
}
