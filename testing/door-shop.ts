/** Creates a shop for tests and checks its guests in and out, online and offline. */
import { expect } from 'vitest'
import { sealScan } from '@/app/door/offline/seal-scan'
import { POST as postScan } from '@/app/door/scan/route'
import { POST as report } from '@/app/door/scans/route'
import type { DeviceRight } from '@/lib/accounts/check-in-devices'
import { recountOccupancy } from '@/lib/admission/recount-occupancy'
import type { OfflineScan } from '@/lib/admission/scan-content'
import { deriveScanKey } from '@/lib/admission/sealed-scan'
import { getTicketDetails } from '@/lib/admission/ticket-details'
import { countTurnout } from '@/lib/admission/turnout'
import { recountSums } from '@/lib/reports/recount-sums'
import { doorRequest, makeDevice, makeOwner, newId } from './devices'
import { importLines, type Line, makeSeller, minimal } from './seller'

/** Creates a shop with an event and `count` tickets. @returns the shop, with functions that scan its tickets online and offline */
export async function createShop(count = 1, overrides: Line = {}) {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const page = minimal('pages', { name: 'Jazz' })
  const pageId = String(page.id)
  await importLines('pages', sellerId, [page])
  const tickets = Array.from({ length: count }, () => minimal('tickets', { pageId, ...overrides }))
  await importLines('tickets', sellerId, tickets)
  const scanKey = await deriveScanKey(sellerId)
  const device = (name: string, rights: DeviceRight[] = ['offline', 'checkout']) => makeDevice(sellerId, owner, { name, rights })
  type Device = Awaited<ReturnType<typeof device>>
  const getCode = (index: number) => String(tickets[index]?.qrCode)
  /** Scans a ticket on an online device. @returns the outcome or, if the request failed, the error message */
  const scanOnline = (gate: Device, index: number, direction: 'in' | 'out', key = newId(), onlyPageId?: string) =>
    scanCodeOnline(gate, getCode(index), direction, key, onlyPageId)
  const scanCodeOnline = async ({ cookie }: Device, code: string, direction: 'in' | 'out', key = newId(), onlyPageId?: string) => {
    const body = { key, code, checkIn: true, direction, pageId: onlyPageId }
    const response = await postScan(doorRequest('/door/scan', cookie, body))
    const { kind, message } = (await response.json()) as { kind?: string; message?: string }
    return response.ok ? kind : message
  }
  /**
   * Returns an encrypted scan, as sent by a device that was offline when it scanned the ticket.
   *
   * @param time when the ticket was scanned, in milliseconds since 1970
   */
  const seal = async (index: number, direction: 'in' | 'out', time: number, overrides: Partial<OfflineScan> = {}, id = newId()) => {
    const decision = direction === 'in' ? ('admitted' as const) : ('checked_out' as const)
    const claimedAt = new Date(time).toISOString()
    return {
      id,
      sealed: await sealScan(scanKey, id, {
        code: getCode(index),
        claimedAt,
        clockOffset: 0,
        direction,
        decision,
        isOverride: false,
        ...overrides,
      }),
    }
  }
  type SealedScan = Awaited<ReturnType<typeof seal>>
  const send = async ({ cookie }: Device, scans: SealedScan[]) => {
    const response = await report(doorRequest('/door/scans', cookie, { protocol: 1, scans }))
    expect(response.status).toBe(200)
  }
  /** Returns the status, method and actor of each entry in a ticket's history. */
  const history = async (index = 0) =>
    (await getTicketDetails(sellerId, String(tickets[index]?.id), undefined)).history.map(({ status, method, who }) => [
      status,
      method,
      who,
    ])
  const turnout = async () => {
    const { attended, inside, sold } = await countTurnout(sellerId, pageId)
    return { attended, inside, sold }
  }
  /** Returns the counts that differ from a recount. */
  const findDifferences = async () => [
    ...(await recountSums(false)).filter(({ key }) => key.seller_id === sellerId),
    ...(await recountOccupancy(false, sellerId)),
  ]
  return {
    sellerId,
    owner,
    pageId,
    device,
    scanOnline,
    scanCodeOnline,
    seal,
    send,
    history,
    turnout,
    findDifferences,
    getCode,
    ticketId: String(tickets[0]?.id),
  }
}

/** Waits 60 ms, so that a scan with a claimed time up to 50 ms in the past is still later than all earlier scans. */
export const waitForClock = () => new Promise((resolve) => setTimeout(resolve, 60))
