/** The content of an offline scan: a device decided without the server whether to let the guest in. */
import { z } from 'zod'
import { MAX_CODE } from '../catalog/limits'
import { instant, objectId } from '../catalog/shapes'
import { isStorable } from '../catalog/ticket'
import { SCAN_SOURCES } from './scan-source'

/** The content of a sealed scan. */
const scanSchema = z.strictObject({
  code: z
    .string()
    .min(1)
    .refine((code) => isStorable(code) && [...code].length <= MAX_CODE)
    .optional(),
  /** Present instead of the code if the guest was found by name. */
  ticketId: objectId.optional(),
  /** Absent in scans from earlier versions of the check-in page. */
  source: z.enum(SCAN_SOURCES).optional(),
  /** The time of the scan on the device's clock. */
  claimedAt: instant,
  /** How far the device's clock was ahead of the server's at their last contact, in milliseconds. */
  clockOffset: z.int(),
  /** Absent in scans from the first version of the check-in page, which could not check guests out. */
  direction: z.enum(['in', 'out']).default('in'),
  /** The event that was selected at the door; absent if guests of all the device's events were checked in there. */
  pageId: objectId.optional(),
  decision: z.enum(['admitted', 'checked_out', 'already_checked_in', 'not_checked_in', 'canceled', 'other_event', 'unknown']),
  /** Whether staff let the guest in even though the code was not on the device's list. */
  isOverride: z.boolean(),
})
/** The content of a sealed scan, as the device writes it. */
export type OfflineScan = z.input<typeof scanSchema>
type ParsedScan = z.output<typeof scanSchema>

/** An encrypted scan, with the signed ID of the device that made it. */
export type SealedScan = { id: string; sealed: string; signedDeviceId?: string | undefined }

/** A decrypted scan. The decision is `unreadable` if the scan cannot be decrypted, or its content is invalid. */
export type Scan = Omit<ParsedScan, 'decision'> & { id: string; decision: OfflineScan['decision'] | 'unreadable' }

/** Describes why a scan is invalid. The description contains none of its values. */
function describeInvalidScan(error: unknown) {
  const issues = error instanceof z.ZodError ? error.issues.map(({ code, path }) => ({ code, path: path.join('.') })) : undefined
  return { error, issues }
}

/** Decrypts a scan. If its content is invalid, `problem` says why. */
export function parseScan(
  { id, sealed }: SealedScan,
  open: (id: string, sealed: string) => string | undefined,
): { scan: Scan; problem?: ReturnType<typeof describeInvalidScan> } {
  const text = open(id, sealed)
  let problem: ReturnType<typeof describeInvalidScan> | undefined
  try {
    if (text !== undefined) return { scan: { id, ...scanSchema.parse(JSON.parse(text)) } }
  } catch (error) {
    problem = describeInvalidScan(error)
  }
  // The scan was sealed with another NEXTAUTH_SECRET, or is invalid. It is kept, so that staff can see it.
  const claimedAt = new Date().toISOString()
  const scan = { id, claimedAt, clockOffset: 0, direction: 'in', decision: 'unreadable', isOverride: false } as const
  return { scan, ...(problem && { problem }) }
}
