/** POST /door/scan: checks in, checks out or previews the ticket with a scanned or typed code. Uses the same function as the API. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { validateTicket } from '@/lib/admission/change-ticket'
import { findTypedTicket } from '@/lib/admission/find-code'
import { CODE_SOURCES } from '@/lib/admission/scan-source'
import { MAX_CODE, MAX_OTHERS } from '@/lib/catalog/limits'
import { boundedText, objectId } from '@/lib/catalog/shapes'
import { isStorable } from '@/lib/catalog/ticket'
import { limitUnknownCodes } from '@/lib/http/unknown-codes'
import { admitTicket } from '../admit/admit-ticket'
import type { DoorCaller } from '../door-caller'
import {
  changeFields,
  handleDoorRequest,
  parseBody,
  requireRight,
  scanFields,
  serializeScan,
  toChange,
  toScanResponse,
} from '../door-request'

const scanSchema = z.strictObject({
  ...scanFields,
  code: boundedText(1, MAX_CODE).refine(isStorable),
  checkIn: z.boolean(),
  direction: z.enum(['in', 'out']).optional(),
  /** Absent in requests from earlier versions of the check-in page. */
  source: z.enum(CODE_SOURCES).optional(),
  /**
   * Manual check-ins with the same event and device name that got no response. If the code is that of one of their tickets, it is repeated.
   */
  unanswered: z
    .array(z.strictObject({ key: changeFields.key, ticketId: objectId }))
    .max(MAX_OTHERS)
    .optional(),
})

/** Returns the manual check-in that an entry repeats, so that the guest counts once; undefined if it is a new one. */
async function findRepeated({ sellerId, rights }: DoorCaller, { code, checkIn, direction, late, unanswered }: z.output<typeof scanSchema>) {
  if (!unanswered || !checkIn || direction === 'out' || late || !rights.includes('search')) return undefined
  const scannedId = await findTypedTicket(sellerId, code, true)
  return unanswered.find(({ ticketId }) => ticketId === scannedId)
}

export const POST = (request: Request) =>
  handleDoorRequest(request, 'scan', async (caller) => {
    const { data, body } = await parseBody(request, scanSchema, doorRefusals.invalidScan)
    const { code, checkIn, direction, source, late } = data
    if (direction === 'out') requireRight(caller, 'checkout')
    const repeated = await findRepeated(caller, data)
    if (repeated) {
      const { pageId, device } = data
      // The same fields as those of the manual check-in.
      const manual = { ...repeated, ...(pageId && { pageId }), ...(device && { device }) }
      return admitTicket(caller, manual, manual)
    }
    const change = {
      ...toChange(caller, data, body),
      code,
      source,
      direction,
      checkIn: checkIn && !late,
      metadata: [],
      typed: { hasShortIds: caller.rights.includes('search') },
      shouldReadDetails: true as const,
    }
    return toScanResponse(caller, await limitUnknownCodes(change, serializeScan, (serialize) => validateTicket(change, serialize)))
  })
