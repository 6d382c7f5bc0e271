/** POST /door/scan: checks in, checks out or previews the ticket with a scanned or typed code. Uses the same function as the API. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { validateTicket } from '@/lib/admission/change-ticket'
import { CODE_SOURCES } from '@/lib/admission/scan-source'
import { MAX_CODE } from '@/lib/catalog/limits'
import { boundedText } from '@/lib/catalog/shapes'
import { isStorable } from '@/lib/catalog/ticket'
import { limitUnknownCodes } from '@/lib/http/unknown-codes'
import { handleDoorRequest, parseBody, requireRight, scanFields, serializeScan, toChange, toScanResponse } from '../door-request'

const scanSchema = z.strictObject({
  ...scanFields,
  code: boundedText(1, MAX_CODE).refine(isStorable),
  checkIn: z.boolean(),
  direction: z.enum(['in', 'out']).optional(),
  /** Absent in requests from earlier versions of the check-in page. */
  source: z.enum(CODE_SOURCES).optional(),
})

export const POST = (request: Request) =>
  handleDoorRequest(request, 'scan', async (caller) => {
    const { data, body } = await parseBody(request, scanSchema, doorRefusals.invalidScan)
    const { code, checkIn, direction, source, late } = data
    if (direction === 'out') requireRight(caller, 'checkout')
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
