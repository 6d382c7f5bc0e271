/** GET /door/tickets: returns a page of a check-in device's sealed ticket list. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { storeDeviceStatus } from '@/lib/accounts/check-in-devices'
import { readTicketList } from '@/lib/admission/ticket-list'
import { handleDoorRequest, parseSearch } from '../door-request'

/**
 * The largest clock offset that the database can store, in milliseconds: about 24 days. Offsets are limited to plus or minus this value.
 */
const MAX_OFFSET = 2 ** 31 - 1

/** In the first request of a list update, a device reports how many scans are unsent, and how far its clock is ahead, in milliseconds. */
const searchSchema = z.strictObject({
  cursor: z.string().max(500).optional(),
  unsent: z.coerce.number().int().min(0).max(1_000_000).optional(),
  offset: z.coerce
    .number()
    .int()
    .transform((offset) => Math.min(Math.max(offset, -MAX_OFFSET), MAX_OFFSET))
    .optional(),
})

export const GET = (request: Request) =>
  handleDoorRequest(request, 'offline', async ({ sellerId, actorId, pageIds, rights }) => {
    const { cursor, unsent, offset } = parseSearch(request, searchSchema, doorRefusals.invalidCursor)
    const granted = { hasNames: rights.includes('names'), maySearch: rights.includes('search') }
    const page = await readTicketList({ sellerId, deviceId: actorId, ...granted, ...(pageIds ? { pageIds } : {}) }, cursor)
    // Written only for the first and the last page of an update, because the list is not complete before the last one.
    if (unsent !== undefined || !page.hasMore)
      await storeDeviceStatus(sellerId, actorId, { unsentScans: unsent, clockOffsetMs: offset, isListed: !page.hasMore })
    return page
  })
