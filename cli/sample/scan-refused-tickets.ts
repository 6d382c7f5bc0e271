/** Adds refused scans to the sample shop, so that its list of refused scans is not empty. */
import { validateTicket } from '@/lib/admission/change-ticket'
import type { Line } from './order'
import { concerts } from './shop'

/** Scans a used ticket, a canceled ticket, a ticket for another concert, and an unknown code. No ticket is changed. */
export async function scanRefusedTickets(sellerId: string, actorId: string, tickets: Line[]): Promise<void> {
  const [concert, other] = concerts
  const concertTickets = tickets.filter(({ pageId }) => pageId === concert?.id).reverse()
  const getCode = (ticket: Line | undefined) => String(ticket?.qrCode)
  const codes = [
    getCode(concertTickets.find(({ checkInStatus }) => checkInStatus === 'CHECKEDIN')),
    getCode(concertTickets.find(({ status }) => status === 'CANCELED')),
    getCode(tickets.find(({ pageId, status }) => pageId === other?.id && status === 'PAID')),
    'NOT-A-TICKET',
  ]
  for (const [index, code] of codes.entries()) {
    // If loading the sample is interrupted, the scans are sent again, and must not be recorded twice.
    const idempotencyKey = `sample-refused-scan-${index}`
    const scan = {
      sellerId,
      actorId,
      code,
      onlyPageId: concert?.id,
      device: 'Front door',
      checkIn: true,
      idempotencyKey,
      metadata: [],
      body: {},
    }
    await validateTicket(scan, () => ({ status: 200, body: '' }))
  }
}
