/** Checks in a ticket by its ID. Uses the same function as a scan. */
import { validateTicket } from '@/lib/admission/change-ticket'
import type { DoorCaller } from '../door-caller'
import { serializeScan, toChange, toScanResponse } from '../door-request'
import type { ScanResponse } from '../responses'

type CheckIn = Parameters<typeof toChange>[1] & { ticketId: string; late?: true | undefined }

/** @param body as for `toChange`. Throws like `toChange` and `validateTicket` */
export async function admitTicket(caller: DoorCaller, checkIn: CheckIn, body: unknown): Promise<ScanResponse> {
  const { ticketId, late } = checkIn
  const manual = { method: 'MANUAL', source: 'guest_list', checkIn: !late, shouldReadDetails: true } as const
  const change = { ...toChange(caller, checkIn, body), ...manual, metadata: [], ticketId }
  return toScanResponse(caller, await validateTicket(change, serializeScan))
}
