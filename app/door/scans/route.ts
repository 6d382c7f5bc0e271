/** POST /door/scans: records the scans that a device made without the server, even if it was revoked or expired in the last 30 days. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { findReportingDevice, readDeviceToken } from '@/lib/accounts/check-in-devices'
import { createOfflineScanRecorder } from '@/lib/admission/offline-scans'
import { ApiError } from '@/lib/core/errors'
import { limitUnknownScans } from '@/lib/http/unknown-codes'
import { readCaller } from '../door-caller'
import { parseBody, respondToDoor } from '../door-request'

/**
 * The limits allow up to 100 scans, and the longest code that a ticket can have. The schema must stay backward compatible, because an
 * outdated page still has to send its scans.
 */
const reportSchema = z.object({
  protocol: z.int().min(1),
  scans: z
    .array(
      z.object({
        id: z.string().regex(/^[0-9a-f]{32}$/),
        sealed: z.string().max(5_000),
        // Absent in scans from earlier versions of the check-in page.
        signedDeviceId: z.string().max(100).optional(),
      }),
    )
    .max(100),
})

export type ScansResponse = {
  /** The IDs of the recorded scans, which the device deletes. It keeps the others and sends them again. */
  recorded: string[]
  /** Whether the device was revoked or has expired, and has to delete its ticket list. */
  wipe: boolean
}

export const POST = (request: Request) =>
  respondToDoor(request, async (): Promise<ScansResponse> => {
    const token = readDeviceToken(request.headers.get('cookie'))
    const device = token === undefined ? undefined : await findReportingDevice(token)
    if (!device) {
      await readCaller(request.headers.get('cookie'))
      throw new ApiError('scope_missing', doorRefusals.forbiddenOffline)
    }
    const { data } = await parseBody(request, reportSchema, doorRefusals.invalidScans)
    const record = await createOfflineScanRecorder(device, data.scans)
    return { recorded: await limitUnknownScans(device.id, data.scans, record), wipe: !device.isValid }
  })
