/** Scans of the sample shop that are refused, so that the list of refused scans is not empty. */
import { validateTicket } from '@/lib/admission/change-ticket'
import type { Line } from './order'
import { concerts } from './shop'

/** Scans tickets that are used, canceled or for another concert, and an unknown code. No ticket changes. @param actorId the user who scans them */
export async function scanRefusedTickets(sellerId: string, actorId: string, tickets: Line[]): Promise<void> {
  const [concert, other] = concerts
  const ofConcert = tickets.filter(({ pageId }) => pageId === concert?.id).reverse()
  const codeOf = (ticket: Line | undefined) => String(ticket?.qrCode)
  const codes = [
    codeOf(ofConcert.find(({ checkInStatus }) => checkInStatus === 'CHECKEDIN')),
    codeOf(ofConcert.find(({ status }) => status === 'CANCELED')),
    codeOf(tickets.find(({ pageId, status }) => pageId === other?.id && status === 'PAID')),
    'NOT-A-TICKET',
  ]
  for (const code of codes) {
    const scan = { sellerId, actorId, code, onlyPageId: concert?.id, device: 'Front door', checkIn: true, metadata: [], body: {} }
    await validateTicket(scan, () => ({ status: 200, body: '' }))
  }
}
