/** Scans made without the server. Each counts once, no matter when or how often it arrives. Contradictory scans become conflicts. */
// @module-tag slow
import { randomBytes } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { revokeDevice } from '@/lib/accounts/check-in-devices'
import { readCredentialsHash } from '@/lib/accounts/credentials'
import { createSession } from '@/lib/accounts/sessions'
import { undoCheckIn } from '@/lib/admission/change-ticket'
import { listDeviceConflicts, reviewConflict } from '@/lib/admission/conflicts'
import { recountOccupancy } from '@/lib/admission/recount-occupancy'
import type { OfflineScan } from '@/lib/admission/scan-content'
import { deriveScanKey } from '@/lib/admission/sealed-scan'
import { getTicketDetails } from '@/lib/admission/ticket-details'
import { countTurnout } from '@/lib/admission/turnout'
import { describeError, log } from '@/lib/core/log'
import { eventsRoute } from '@/lib/http/event-routes'
import { limitUnknownScans } from '@/lib/http/unknown-codes'
import { listConflicts } from '@/lib/listing/list-conflicts'
import { listRefusals } from '@/lib/listing/list-refusals'
import { readActivity } from '@/lib/reports/activity'
import { addRefusedScans, doorRequest, makeDevice, makeOwner, postponeCheckIns, setEntryPolicy } from '@/testing/devices'
import { readEvents } from '@/testing/events'
import { importLines, type Line, makeKey, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { sessionCookie } from '@/testing/session-cookie'
import { sealScan } from '../offline/seal-scan'
import { POST as scanOnline } from '../scan/route'
import { POST as undoOnline } from '../undo/route'
import { POST as report, type ScansResponse } from './route'

beforeAll(openTestDatabase)

type Device = Awaited<ReturnType<typeof makeDevice>>
type SealedScan = { id: string; sealed: string }

/** Creates a shop with tickets. @returns the shop, with functions that make scans and read what is recorded */
async function createShop(lines: Line[] = [{}]) {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const tickets = lines.map((line) => minimal('tickets', line))
  await importLines('tickets', sellerId, tickets)
  const scanKey = await deriveScanKey(sellerId)
  const device = (name: string, pageIds: string[] = []) => makeDevice(sellerId, owner, { name, pageIds, rights: ['offline'] })
  const getCode = (index: number) => String(tickets[index]?.qrCode)
  const getId = (index: number) => String(tickets[index]?.id)
  let start = Date.now()
  /** Waits until the times that later calls to `scan` claim, up to 80 ms after this call, are in the past. */
  const waitForClock = () => {
    start = Date.now()
    return new Promise((resolve) => setTimeout(resolve, 120))
  }
  /** Returns a scan of the first ticket, made `hundredths` hundredths of a second after the last call to `waitForClock`. */
  const scan = async (
    hundredths: number,
    overrides: Partial<OfflineScan> = {},
    id = randomBytes(16).toString('hex'),
  ): Promise<SealedScan> => {
    const claimedAt = new Date(start + hundredths * 10).toISOString()
    const content = { code: getCode(0), claimedAt, clockOffset: 0, decision: 'admitted' as const, isOverride: false, ...overrides }
    return { id, sealed: await sealScan(scanKey, id, content) }
  }
  const history = async (index = 0) =>
    (await getTicketDetails(sellerId, getId(index), undefined)).history.map(({ status, who }) => [status, who])
  const conflicts = async () => (await listConflicts(sellerId)).map(({ kind, scannedBy, checkedInBy }) => [kind, scannedBy, checkedInBy])
  return { sellerId, owner, device, waitForClock, scan, history, conflicts, getCode, getId }
}

/** Reports scans. @returns the status and the body of the response */
async function send({ cookie }: Device, scans: SealedScan[]) {
  const response = await report(doorRequest('/door/scans', cookie, { protocol: 1, scans }))
  return { status: response.status, ...((await response.json()) as ScansResponse) }
}

/** Sends a scan to the server, which checks the ticket. */
const sendOnline = async ({ cookie }: Device, code: string, key: string) => {
  const response = await scanOnline(doorRequest('/door/scan', cookie, { key, code, checkIn: true }))
  return { status: response.status, ...((await response.json()) as { kind: string }) }
}

describe('a scan made without the server', () => {
  it('checks the guest in once, at the time on the server’s clock, no matter how often it is sent', async () => {
    const { sellerId, device, waitForClock, scan, history, getId, conflicts } = await createShop()
    const gate = await device('Gate 1')
    await waitForClock()
    const claimedAt = new Date(Date.now() + 600_000 - 50).toISOString()
    const sent = await scan(0, { claimedAt, clockOffset: 600_000 })
    expect(await send(gate, [sent, sent])).toMatchObject({ status: 200, recorded: [sent.id, sent.id], wipe: false })
    expect(await send(gate, [sent])).toMatchObject({ status: 200, recorded: [sent.id] })
    expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await conflicts()).toEqual([])
    const details = await getTicketDetails(sellerId, getId(0), undefined)
    expect(details.guest.checkInStatus).toBe('CHECKEDIN')
    expect(details.history.map(({ at }) => at)).toEqual([new Date(Date.parse(claimedAt) - 600_000).toISOString()])
  })

  it('records how its code was read, unless the page was too old to report this', async () => {
    const { sellerId, device, waitForClock, scan, getCode, getId } = await createShop([{}, {}])
    const [gate, other] = [await device('Gate 1'), await device('Gate 2')]
    await waitForClock()
    await send(gate, [await scan(5, { source: 'scanner' }), await scan(1, { code: getCode(1) })])
    const sources = async (index: number) => (await getTicketDetails(sellerId, getId(index), undefined)).history.map(({ source }) => source)
    expect([await sources(0), await sources(1)]).toEqual([['scanner'], [undefined]])
    // An earlier entry at another door displaces the check-in.
    await send(other, [await scan(0, { source: 'camera' })])
    expect(await sources(0)).toEqual(['camera'])
    const activity = await readActivity(sellerId, { resource: 'tickets', id: getId(0) })
    expect(activity.map(({ kind, source }) => [kind, source]).toSorted()).toEqual([
      ['offline', 'scanner'],
      ['scan', 'camera'],
    ])
  })

  it('becomes the check-in if it is earlier than another door’s scan, which becomes a conflict', async () => {
    const { device, waitForClock, scan, history, conflicts, getCode } = await createShop()
    const [first, second] = [await device('Gate 1'), await device('Gate 2')]
    await waitForClock()
    expect(await sendOnline(second, getCode(0), 'online')).toMatchObject({ kind: 'admitted' })
    await send(first, [await scan(5)])
    expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await conflicts()).toEqual([['double_entry', 'Gate 2', 'Gate 1']])
  })

  it('of a guest who was found by name is manual, and has no effect if the device may not find guests', async () => {
    const { sellerId, owner, device, waitForClock, scan, getId, conflicts } = await createShop()
    const [gate, desk] = [await device('Gate 1'), await makeDevice(sellerId, owner, { name: 'Desk', rights: ['offline', 'search'] })]
    await waitForClock()
    const found = await scan(1, { code: undefined, ticketId: getId(0), source: 'guest_list' })
    await send(gate, [await scan(0, { code: undefined, ticketId: getId(0) })])
    expect((await getTicketDetails(sellerId, getId(0), undefined)).history).toEqual([])
    expect(await conflicts()).toEqual([['not_permitted', 'Gate 1', null]])
    await send(desk, [found, found, await scan(2, { code: undefined, ticketId: 'f'.repeat(24) })])
    expect((await getTicketDetails(sellerId, getId(0), undefined)).history).toMatchObject([
      { status: 'CHECKEDIN', method: 'MANUAL', source: 'guest_list', who: 'Desk' },
    ])
    expect((await conflicts()).toSorted()).toEqual([
      ['not_permitted', 'Gate 1', 'Desk'],
      ['unknown_code', 'Desk', null],
    ])
  })

  it('is a conflict if another door admitted a guest with the same ticket earlier', async () => {
    const { device, waitForClock, scan, history, conflicts, getCode } = await createShop()
    const [first, second] = [await device('Gate 1'), await device('Gate 2')]
    await sendOnline(first, getCode(0), 'online')
    const claimedAt = new Date(Date.now() + 20).toISOString()
    await waitForClock()
    await send(second, [await scan(0, { claimedAt })])
    expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await conflicts()).toEqual([['double_entry', 'Gate 2', 'Gate 1']])
  })

  it('is a conflict that shows the device name that a user has entered, as do refusals and the ticket’s activity', async () => {
    const { sellerId, owner, device, waitForClock, scan, history, conflicts, getCode, getId } = await createShop([{}, {}])
    const cookie = await sessionCookie(String(await createSession(owner.userId, String(await readCredentialsHash(owner.userId)))))
    const scanAtDoor = (name: string, code = getCode(0)) =>
      scanOnline(doorRequest('/door/scan', cookie, { key: randomBytes(16).toString('hex'), code, checkIn: true, device: name }))
    await scanAtDoor('Gate 1')
    const refused = await scanAtDoor('')
    expect(await refused.json()).toMatchObject({ kind: 'already_checked_in', ticket: { history: [{ who: 'Gate 1' }] } })
    const gate = await device('Gate 2')
    await waitForClock()
    await send(gate, [await scan(1)])
    expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await conflicts()).toEqual([['double_entry', 'Gate 2', 'Gate 1']])
    expect(await listDeviceConflicts(sellerId, gate.id)).toMatchObject([{ otherGate: 'Gate 1' }])
    const activity = await readActivity(sellerId, { resource: 'tickets', id: getId(0) })
    expect(activity.map(({ kind, who }) => [kind, who])).toEqual([
      ['offline', 'Gate 2'],
      ['refusal', owner.email],
      ['scan', 'Gate 1'],
    ])
    expect((await listRefusals(sellerId)).rows).toMatchObject([{ who: owner.email, checkedInBy: 'Gate 1' }])
    // The entry that the user made is the one that is displaced.
    await waitForClock()
    await scanAtDoor('Gate 1', getCode(1))
    await send(gate, [await scan(0, { code: getCode(1) })])
    expect((await conflicts())[0]).toEqual(['double_entry', 'Gate 1', 'Gate 2'])
    const [displaced] = await readActivity(sellerId, { resource: 'tickets', id: getId(1) })
    expect(displaced).toMatchObject({ kind: 'offline', who: 'Gate 1' })
  })

  it('leads to the same history and conflicts in every order of arrival', async () => {
    const { device, waitForClock, scan, history, getCode, getId, sellerId } = await createShop(Array.from({ length: 20 }, () => ({})))
    const gates = await Promise.all([1, 2, 3, 4].map((number) => device(`Gate ${number}`)))
    await waitForClock()
    const states = new Set<string>()
    for (let round = 0; round < 20; round += 1) {
      const code = getCode(round)
      const made = await Promise.all(
        [scan(8, { code }), scan(2, { code }), scan(5, { code }), scan(1, { code, decision: 'already_checked_in' })].map(
          async (pending, index) => ({
            sent: await pending,
            gate: gates[index],
          }),
        ),
      )
      // The order is different for each ticket.
      const order = made.toSorted((a, b) => ((made.indexOf(a) * 7 + round * 3) % 11) - ((made.indexOf(b) * 7 + round * 3) % 11))
      for (const { sent, gate } of order) if (gate) await send(gate, [sent])
      const found = (await listConflicts(sellerId))
        .filter(({ ticketId }) => ticketId === getId(round))
        .map(({ kind, scannedBy }) => [kind, scannedBy])
      states.add(JSON.stringify([await history(round), found]))
    }
    expect([...states]).toEqual([
      JSON.stringify([
        [['CHECKEDIN', 'Gate 2']],
        [
          ['double_entry', 'Gate 1'],
          ['double_entry', 'Gate 3'],
          ['refused_in_error', 'Gate 4'],
        ],
      ]),
    ])
  })

  it('is a conflict if the ticket was already canceled, the code is unknown, or the ticket is for another event', async () => {
    const { sellerId, device, waitForClock, scan, history, conflicts, getCode } = await createShop([
      { status: 'CANCELED', canceledAt: '2026-03-02T12:00:00.000Z' },
      {},
    ])
    const page = minimal('pages')
    await importLines('pages', sellerId, [page])
    const [gate, otherDoor] = [await device('Gate 1'), await device('Gate 2', [String(page.id)])]
    await waitForClock()
    await send(gate, [await scan(1), await scan(2, { code: 'no-such-code', isOverride: true })])
    await send(otherDoor, [await scan(3, { code: getCode(1) }), await scan(4, { code: (await createShop()).getCode(0) })])
    expect([await history(0), await history(1)]).toEqual([[], []])
    expect(await conflicts()).toEqual([
      ['unknown_code', 'Gate 2', null],
      ['other_event', 'Gate 2', null],
      ['unknown_code', 'Gate 1', null],
      ['canceled', 'Gate 1', null],
    ])
  })

  it('is a conflict if the server’s decision about the same scan was different, and changes nothing if it was the same', async () => {
    const { device, waitForClock, scan, history, conflicts, getCode } = await createShop([{}, {}])
    const gate = await device('Gate 1')
    await waitForClock()
    const [agreed, again, refused] = ['a'.repeat(32), 'c'.repeat(32), 'b'.repeat(32)]
    for (const key of [agreed, again]) await sendOnline(gate, getCode(0), key)
    await sendOnline(gate, getCode(1), refused)
    await send(gate, [await scan(1, {}, agreed), await scan(3, { decision: 'already_checked_in' }, again)])
    expect(await conflicts()).toEqual([])
    await send(gate, [await scan(2, { code: getCode(1), decision: 'unknown' }, refused)])
    // The guest was turned away, so the ticket is still valid.
    const undone = [
      ['CHECKEDIN', 'Gate 1'],
      ['UNCHECKEDIN', 'Gate 1'],
    ]
    expect([await history(0), await history(1)]).toEqual([[['CHECKEDIN', 'Gate 1']], undone])
    expect(await conflicts()).toEqual([['refused_in_error', 'Gate 1', null]])
    expect(await sendOnline(gate, getCode(1), 'later')).toMatchObject({ kind: 'admitted' })
  })

  it('does not undo the server’s check-in if the device has since scanned the ticket again, because the guest may have been let in', async () => {
    const { device, waitForClock, scan, history, conflicts, getCode } = await createShop()
    const [gate, id] = [await device('Gate 1'), 'a'.repeat(32)]
    await waitForClock()
    await sendOnline(gate, getCode(0), id)
    expect(await sendOnline(gate, getCode(0), 'again')).toMatchObject({ kind: 'already_checked_in' })
    await send(gate, [await scan(1, { decision: 'unknown' }, id)])
    expect([await history(), await conflicts()]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
  })

  it('turns the server’s check-in into a conflict if the device has since scanned the ticket again and another door admitted a guest earlier, regardless of the order of arrival', async () => {
    const { device, waitForClock, scan, history, conflicts, getCode } = await createShop([{}, {}])
    const [gate, other] = [await device('Gate 1'), await device('Gate 2')]
    await waitForClock()
    for (const [index, isReversed] of [false, true].entries()) {
      const [code, id] = [getCode(index), String(index).repeat(32)]
      await sendOnline(gate, code, id)
      expect(await sendOnline(gate, code, `again-${index}`)).toMatchObject({ kind: 'already_checked_in' })
      const scans = [
        { from: gate, sent: await scan(2, { code, decision: 'unknown' }, id) },
        { from: other, sent: await scan(1, { code }) },
      ]
      for (const { from, sent } of isReversed ? scans.toReversed() : scans) await send(from, [sent])
      expect(await history(index)).toEqual([['CHECKEDIN', 'Gate 2']])
    }
    expect(await conflicts()).toEqual(Array(2).fill(['double_entry', 'Gate 1', 'Gate 2']))
  })

  it('undoes a signed-in user’s check-in for the same scan if the device turned the guest away, regardless of the order of arrival', async () => {
    const { owner, device, waitForClock, scan, history, conflicts, getCode } = await createShop([{}, {}, {}])
    const [gate, other] = [await device('Gate 1'), await device('Gate 2')]
    const sessionId = await createSession(owner.userId, String(await readCredentialsHash(owner.userId)))
    const browser = { ...gate, cookie: `${gate.cookie}; ${await sessionCookie(String(sessionId))}` }
    await waitForClock()
    const orders = [['refused'], ['refused', 'copy'], ['copy', 'refused']] as const
    for (const [index, order] of orders.entries()) {
      const [code, id] = [getCode(index), String(index).repeat(32)]
      await sendOnline(browser, code, id)
      const scans = { refused: await scan(1, { code, decision: 'unknown' }, id), copy: await scan(0, { code }) }
      for (const name of order) await send(name === 'copy' ? other : browser, [scans[name]])
      const undone = [
        ['CHECKEDIN', owner.email],
        ['UNCHECKEDIN', 'Gate 1'],
      ]
      expect(await history(index)).toEqual(index === 0 ? undone : [['CHECKEDIN', 'Gate 2']])
      // Another gate's guest is still inside.
      const kind = index === 0 ? 'admitted' : 'already_checked_in'
      expect(await sendOnline(browser, code, `later-${index}`)).toMatchObject({ kind })
    }
    expect(await conflicts()).toEqual([['refused_in_error', 'Gate 1', owner.email]])
  })

  it('reverts only the server’s check-in for the same scan, even if the server makes it after another entry', async () => {
    const { sellerId, device, waitForClock, scan, history, conflicts, getCode } = await createShop([{}, {}, {}, {}])
    const [gate, other] = [await device('Gate 1'), await device('Gate 2')]
    await waitForClock()
    for (const [index, isReversed] of [false, true, false, true].entries()) {
      const [code, id] = [getCode(index), String(index).repeat(32)]
      await sendOnline(gate, code, id)
      const isOverride = index < 2
      const scans = [
        { from: gate, sent: await scan(1, { code, decision: 'unknown' }, id) },
        { from: isOverride ? gate : other, sent: await scan(5, { code, isOverride }) },
      ]
      for (const { from, sent } of isReversed ? scans.toReversed() : scans) await send(from, [sent])
      expect(await history(index)).toEqual([['CHECKEDIN', isOverride ? 'Gate 1' : 'Gate 2']])
      expect(await sendOnline(other, code, `later-${index}`)).toMatchObject({ kind: 'already_checked_in' })
    }
    // Gate 1 turned away two guests before Gate 2 let someone in.
    expect(await conflicts()).toEqual([
      ['refused_in_error', 'Gate 1', 'Gate 2'],
      ['refused_in_error', 'Gate 1', 'Gate 2'],
    ])
    expect(await recountOccupancy(false, sellerId)).toEqual([])
  })

  it('keeps the ticket checked in if staff at another door have undone their own later check-in, whatever arrives afterward', async () => {
    const { sellerId, device, waitForClock, scan, history, conflicts, getCode, getId } = await createShop()
    const [gate, other, third] = [await device('Gate 1'), await device('Gate 2'), await device('Gate 3')]
    await waitForClock()
    expect(await sendOnline(other, getCode(0), 'online')).toMatchObject({ kind: 'admitted' })
    const undo = { sellerId, actorId: other.id, ticketId: getId(0), body: {}, sequence: 1, reason: 'Already scanned' }
    expect((await undoCheckIn(undo, () => ({ status: 200, body: '' }))).result).toMatchObject({ outcome: 'undone' })
    await send(gate, [await scan(1)])
    const events = (await readEvents(sellerId)).map(({ type }) => type)
    expect(events.slice(-3)).toEqual(['ticket.checked_in', 'ticket.checked_out', 'ticket.checked_in'])
    for (const decision of ['already_checked_in', 'unknown'] as const) {
      expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
      expect(await conflicts()).toEqual([])
      expect(await sendOnline(third, getCode(0), decision)).toMatchObject({ kind: 'already_checked_in' })
      // Another late scan makes the server derive the ticket's history again.
      await send(third, [await scan(5, { decision })])
    }
    expect(await recountOccupancy(false, sellerId)).toEqual([])
    const activity = await readActivity(sellerId, { resource: 'tickets', id: getId(0) })
    expect(activity).toContainEqual(expect.objectContaining({ kind: 'offline', type: 'undone', text: 'Already scanned', who: 'Gate 2' }))
  })

  it('with a ticket that admits multiple times is not reverted by an undo made before it arrived, regardless of the order of arrival', async () => {
    const page = minimal('pages')
    const { sellerId, device, waitForClock, scan, history, getCode, getId } = await createShop([{ pageId: page.id }, { pageId: page.id }])
    await importLines('pages', sellerId, [page])
    await setEntryPolicy(sellerId, 'multiple')
    const [gate, other] = [await device('Gate 1'), await device('Gate 2')]
    for (const [index, isReversed] of [false, true].entries()) {
      const [code, id] = [getCode(index), String(index).repeat(32)]
      expect(await sendOnline(gate, code, id)).toMatchObject({ kind: 'admitted' })
      await waitForClock()
      const undo = { sellerId, actorId: gate.id, ticketId: getId(index), body: {}, sequence: 1, reason: 'Wrong guest' }
      expect((await undoCheckIn(undo, () => ({ status: 200, body: '' }))).result).toMatchObject({ outcome: 'undone' })
      // Gate 1 turned away the guest whose check-in was undone. Gate 2 let in another one.
      const scans = [
        { from: gate, sent: await scan(1, { code, decision: 'unknown' }, id) },
        { from: other, sent: await scan(5, { code }) },
      ]
      for (const { from, sent } of isReversed ? scans.toReversed() : scans) await send(from, [sent])
      expect(await history(index)).toEqual([
        ['CHECKEDIN', 'Gate 1'],
        ['CHECKEDIN', 'Gate 2'],
        ['UNCHECKEDIN', 'Gate 1'],
      ])
    }
    expect((await countTurnout(sellerId, undefined)).inside).toBe(2)
    expect(await recountOccupancy(false, sellerId)).toEqual([])
  })

  it('is not reverted by an undo of the entry whose position it takes, unless the page is too old to send that entry’s time', async () => {
    const { sellerId, owner, device, waitForClock, scan, history, conflicts, getCode, getId } = await createShop()
    const gate = await device('Gate 1')
    const other = await makeDevice(sellerId, owner, { name: 'Gate 2', rights: ['undo'] })
    const undo = async (at?: string) => {
      const body = { key: randomBytes(8).toString('hex'), ticketId: getId(0), sequence: 1, reason: 'Already scanned', at }
      return (await undoOnline(doorRequest('/door/undo', other.cookie, body))).json()
    }
    const readTime = async () => (await getTicketDetails(sellerId, getId(0), undefined)).history[0]?.at
    await waitForClock()
    await sendOnline(other, getCode(0), 'online')
    const seen = await readTime()
    await send(gate, [await scan(1)])
    expect(await undo(seen)).toMatchObject({ done: false, message: expect.stringMatching(/has since changed this ticket’s/) })
    expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await conflicts()).toEqual([['double_entry', 'Gate 2', 'Gate 1']])
    expect(await undo(await readTime())).toMatchObject({ done: true })
    expect(await undo()).toMatchObject({ done: true, message: 'This check-in was already undone' })
  })

  it('that staff have undone stays undone if an earlier scan at another door arrives, and returns to the history if the guest of that scan left in between', async () => {
    const page = minimal('pages')
    const { sellerId, owner, device, waitForClock, scan, history, conflicts, getId } = await createShop([{ pageId: page.id }])
    await importLines('pages', sellerId, [page])
    await setEntryPolicy(sellerId, 'reentry')
    const exit = await makeDevice(sellerId, owner, { name: 'Exit', rights: ['offline', 'checkout'] })
    const [gate, other] = [await device('Gate 1'), await device('Gate 2')]
    await waitForClock()
    await send(other, [await scan(5)])
    const undo = { sellerId, actorId: other.id, ticketId: getId(0), body: {}, sequence: 1, reason: 'Wrong guest' }
    expect((await undoCheckIn(undo, () => ({ status: 200, body: '' }))).result).toMatchObject({ outcome: 'undone' })
    await send(gate, [await scan(1)])
    expect([await history(), await conflicts()]).toEqual([[['CHECKEDIN', 'Gate 1']], []])
    await send(exit, [await scan(3, { direction: 'out', decision: 'checked_out' })])
    const reason = 'Wrong guest'
    expect((await getTicketDetails(sellerId, getId(0), undefined)).history).toMatchObject([
      { status: 'CHECKEDIN', who: 'Gate 1' },
      { status: 'UNCHECKEDIN', who: 'Exit' },
      { status: 'CHECKEDIN', who: 'Gate 2' },
      { status: 'UNCHECKEDIN', who: 'Gate 2', reason },
    ])
    expect(await conflicts()).toEqual([])
    expect(await recountOccupancy(false, sellerId)).toEqual([])
  })

  it('is not a conflict if the same device let the guest in by override after its refusal, regardless of the order of arrival', async () => {
    const { device, waitForClock, scan, history, conflicts, getCode } = await createShop([{}, {}, {}])
    const [gate, other] = [await device('Gate 1'), await device('Gate 2')]
    await waitForClock()
    for (const [index, isReversed] of [false, true].entries()) {
      const code = getCode(index)
      const scans = [await scan(1, { code, decision: 'unknown' }), await scan(5, { code, isOverride: true })]
      for (const sent of isReversed ? scans.toReversed() : scans) await send(gate, [sent])
      expect(await history(index)).toEqual([['CHECKEDIN', 'Gate 1']])
    }
    expect(await conflicts()).toEqual([])
    // An entry at another door makes the override a double entry, but the guest was still not turned away.
    await send(other, [await scan(3)])
    expect(await conflicts()).toEqual([['double_entry', 'Gate 1', 'Gate 2']])
    await send(other, [await scan(1, { code: getCode(1), decision: 'unknown' })])
    expect(await conflicts()).toContainEqual(['refused_in_error', 'Gate 2', 'Gate 1'])
  })

  it('that the server admitted and the device refused is not a conflict if the device then let the guest in by override', async () => {
    const { device, waitForClock, scan, history, conflicts, getCode } = await createShop([{}, {}])
    const gate = await device('Gate 1')
    for (const [index, isReversed] of [false, true].entries()) {
      const [code, id] = [getCode(index), String(index).repeat(32)]
      await sendOnline(gate, code, id)
      await waitForClock()
      const scans = [await scan(0, { code, decision: 'unknown' }, id), await scan(5, { code, isOverride: true })]
      for (const sent of isReversed ? scans.toReversed() : scans) await send(gate, [sent])
      expect((await history(index)).map(([status]) => status)).toEqual(['CHECKEDIN', 'UNCHECKEDIN', 'CHECKEDIN'])
    }
    expect(await conflicts()).toEqual([])
  })

  it('with a typed code belongs to the ticket that the server finds for the code', async () => {
    const qrCodes = ['1', '2', '3'].map((end) => `${randomBytes(8).toString('hex').toUpperCase()}${end}`)
    const { device, waitForClock, scan, history, conflicts } = await createShop(qrCodes.map((qrCode) => ({ qrCode })))
    const [first = '', second = '', third = ''] = qrCodes.map((code) => ` ${code.toLowerCase()}`)
    const gate = await device('Gate 1')
    await waitForClock()
    const [refused, overridden] = ['a'.repeat(32), 'b'.repeat(32)]
    await sendOnline(gate, first, refused)
    await sendOnline(gate, second, overridden)
    await send(gate, [
      await scan(1, { code: first, decision: 'unknown' }, refused),
      await scan(2, { code: second, isOverride: true }, overridden),
      await scan(3, { code: third, isOverride: true }),
    ])
    expect((await history(0)).map(([status]) => status)).toEqual(['CHECKEDIN', 'UNCHECKEDIN'])
    for (const index of [1, 2]) expect(await history(index)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await conflicts()).toEqual([['refused_in_error', 'Gate 1', null]])
  })

  it('of a guest who was sent to another event’s door is not a conflict, regardless of the order of arrival', async () => {
    const page = minimal('pages')
    const { sellerId, device, waitForClock, scan, history, conflicts, getCode } = await createShop([{}, {}, {}])
    await importLines('pages', sellerId, [page])
    const pageId = String(page.id)
    const [mainDoor, otherDoor, selectedDoor] = [await device('Gate 1'), await device('Gate 2', [pageId]), await device('Gate 3')]
    await waitForClock()
    await send(mainDoor, [await scan(1, { decision: 'other_event' }), await scan(5)])
    for (const [index, isReversed] of [
      [1, false],
      [2, true],
    ] as const) {
      const code = getCode(index)
      const scans = [
        { gate: otherDoor, sent: await scan(1, { code, decision: 'unknown' }) },
        { gate: selectedDoor, sent: await scan(2, { code, decision: 'unknown', pageId }) },
        { gate: mainDoor, sent: await scan(5, { code }) },
      ]
      for (const { gate, sent } of isReversed ? scans.toReversed() : scans) await send(gate, [sent])
    }
    for (const index of [0, 1, 2]) expect(await history(index)).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await conflicts()).toEqual([])
  })

  it('is recorded with a time between its device’s setup and its arrival, regardless of the device’s clock', async () => {
    const { sellerId, device, waitForClock, scan, getCode, getId } = await createShop([{}, {}])
    const before = Date.now()
    const gate = await device('Gate 1')
    await waitForClock()
    const claim = (index: number, claimedAt: string) => scan(0, { code: getCode(index), claimedAt })
    await send(gate, [await claim(0, '2099-01-01T00:00:00.000Z'), await claim(1, '2020-01-01T00:00:00.000Z')])
    for (const index of [0, 1]) {
      const [entry] = (await readActivity(sellerId, { resource: 'tickets', id: getId(index) })).filter(({ kind }) => kind === 'scan')
      const time = Date.parse(String(entry?.at))
      // The clocks of the database and of this process may differ.
      expect(time).toBeGreaterThan(before - 60_000)
      expect(time).toBeLessThan(Date.now() + 60_000)
    }
  })

  it('is accepted in batches of at most 100', async () => {
    const { device, waitForClock, scan } = await createShop()
    const gate = await device('Gate 1')
    await waitForClock()
    const scans = await Promise.all(Array.from({ length: 101 }, () => scan(1, { code: 'no-such-code' })))
    expect((await send(gate, scans)).status).toBe(400)
    expect((await send(gate, scans.slice(1))).recorded).toHaveLength(100)
  })

  it('of a ticket that was imported as checked in is not a second check-in', async () => {
    const { device, waitForClock, scan, history, conflicts, getId, sellerId } = await createShop([{ checkInStatus: 'CHECKEDIN' }])
    const gate = await device('Gate 1')
    await waitForClock()
    await send(gate, [await scan(1, { decision: 'already_checked_in' })])
    expect(await conflicts()).toEqual([])
    await send(gate, [await scan(2)])
    expect(await conflicts()).toEqual([['double_entry', 'Gate 1', null]])
    expect(await history()).toEqual([])
    expect((await getTicketDetails(sellerId, getId(0), undefined)).guest.checkInStatus).toBe('CHECKEDIN')
  })

  it('keeps the server’s own check-ins in the history if an earlier entry policy allowed them', async () => {
    const page = minimal('pages')
    const { sellerId, device, waitForClock, scan, history, conflicts, getCode } = await createShop([{ pageId: page.id }])
    await importLines('pages', sellerId, [page])
    const gate = await device('Gate 1')
    await setEntryPolicy(sellerId, 'multiple')
    for (const key of ['first', 'second', 'third']) await sendOnline(gate, getCode(0), key)
    await setEntryPolicy(sellerId, 'single')
    await waitForClock()
    await send(gate, [await scan(1), await scan(2, { decision: 'already_checked_in' })])
    expect(await history()).toHaveLength(3)
    expect(await conflicts()).toEqual([['double_entry', 'Gate 1', 'Gate 1']])
  })

  it('displaces the check-ins of several tickets in one request, each as a separate conflict', async () => {
    const line = () => ({
      checkInStatus: 'CHECKEDIN',
      checkIns: [{ method: 'MANUAL', checkedInAt: '2099-01-01', status: 'CHECKEDIN' }],
    })
    const { sellerId, device, waitForClock, scan, history, conflicts, getCode } = await createShop([line(), line()])
    await postponeCheckIns(sellerId)
    const gate = await device('Gate 1')
    await waitForClock()
    await send(gate, [await scan(1), await scan(1, { code: getCode(1) })])
    expect([await history(0), await history(1)]).toEqual([[['CHECKEDIN', 'Gate 1']], [['CHECKEDIN', 'Gate 1']]])
    expect((await conflicts()).map(([kind]) => kind)).toEqual(['double_entry', 'double_entry'])
  })

  it('does not count again if its first online request arrives later', async () => {
    const { device, waitForClock, scan, history, getCode } = await createShop([{}])
    const gate = await device('Gate 1')
    await waitForClock()
    const id = 'c'.repeat(32)
    await send(gate, [await scan(1, {}, id)])
    expect((await sendOnline(gate, getCode(0), id)).status).toBe(422)
    expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
  })

  it('writes events for its check-in and for a conflict', async () => {
    const { sellerId, device, waitForClock, scan, getCode, getId } = await createShop([{}, {}])
    const gate = await device('Gate 1')
    await waitForClock()
    await send(gate, [await scan(5), await scan(1), await scan(2, { code: getCode(1) })])
    const { key } = await makeKey(sellerId, 'events:read')
    const read = async () => {
      const headers = { authorization: `Bearer ${key}` }
      const response = await eventsRoute.GET(new Request('http://localhost/v1/events?limit=100', { headers }))
      const { data } = (await response.json()) as { data: { type: string; data: { id: string } }[] }
      const ofTicket = (index: number) => data.filter((event) => event.data.id === getId(index)).map(({ type }) => type)
      return [ofTicket(0), ofTicket(1)].map((types) => types.filter((type) => type !== 'ticket.created').toReversed())
    }
    // The list omits events while an older transaction of another test is open.
    await expect
      .poll(read, { timeout: 30_000 })
      .toEqual([['ticket.checked_in', 'ticket.updated', 'ticket.conflict'], ['ticket.checked_in']])
  })

  it('is recorded as unreadable if it cannot be decrypted because it was sent under another ID', async () => {
    const { device, waitForClock, scan, history, conflicts } = await createShop()
    const gate = await device('Gate 1')
    await waitForClock()
    const { sealed } = await scan(1)
    expect(await send(gate, [{ id: 'd'.repeat(32), sealed }])).toMatchObject({ recorded: ['d'.repeat(32)] })
    expect(await history()).toEqual([])
    expect(await conflicts()).toEqual([['unreadable', 'Gate 1', null]])
  })

  it('is recorded if its content is invalid, and logged once, without its code', async () => {
    const { device, waitForClock, scan, conflicts, getCode } = await createShop()
    const gate = await device('Gate 1')
    await waitForClock()
    const warn = vi.spyOn(log(), 'warn')
    const invalid = await scan(1, { decision: getCode(0) as OfflineScan['decision'] })
    for (let times = 0; times < 2; times += 1) expect(await send(gate, [invalid])).toMatchObject({ recorded: [invalid.id] })
    const logged = warn.mock.calls
      .filter(([, message]) => message === 'an offline scan is invalid')
      .map(([fields, message]) => [{ ...Object(fields), error: describeError(Object(fields).error) }, message])
    warn.mockRestore()
    const problem = { error: { class: 'ZodError' }, issues: [{ code: 'invalid_value', path: 'decision' }] }
    expect(logged).toMatchObject([[{ device: gate.id, ...problem }, 'an offline scan is invalid']])
    expect(JSON.stringify(logged)).not.toContain(getCode(0))
    expect(await conflicts()).toEqual([['unreadable', 'Gate 1', null]])
  })

  it('is recorded as a conflict, without deriving the history again, if its ticket has 1,000 entries and scans, and writes an event for the conflict', async () => {
    const { sellerId, device, waitForClock, scan, history, conflicts, getId } = await createShop()
    const [gate, other] = [await device('Gate 1'), await device('Gate 2')]
    await addRefusedScans(sellerId, getId(0), gate.id, 999)
    await waitForClock()
    await send(gate, [await scan(5)])
    expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await conflicts()).toEqual([])
    const [earlier, refused] = [await scan(1), await scan(0, { decision: 'already_checked_in' })]
    expect(await send(other, [earlier, refused])).toMatchObject({ status: 200, recorded: [earlier.id, refused.id] })
    expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
    expect(await conflicts()).toEqual([['double_entry', 'Gate 2', 'Gate 1']])
    expect((await readEvents(sellerId)).filter(({ type }) => type === 'ticket.conflict')).toHaveLength(1)
    expect(await recountOccupancy(false, sellerId)).toEqual([])
  })

  it('is accepted from a revoked device, which must delete its list, but not with a forged token', async () => {
    const { sellerId, owner, device, waitForClock, scan, history } = await createShop()
    const gate = await device('Gate 1')
    await waitForClock()
    const sent = await scan(1)
    expect((await send({ ...gate, cookie: `desk-check-in-device=${'A'.repeat(43)}` }, [sent])).status).toBe(401)
    await revokeDevice(sellerId, gate.id, owner)
    expect(await send(gate, [sent])).toMatchObject({ status: 200, recorded: [sent.id], wipe: true })
    expect(await history()).toEqual([['CHECKEDIN', 'Gate 1']])
  })
})

describe('scans that belong to no ticket', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  const unreadable = (count: number) => Array.from({ length: count }, () => ({ id: randomBytes(16).toString('hex'), sealed: '' }))

  it('count as unknown codes: after 100 in a minute, the device has to send its remaining scans later, and none is lost', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { sellerId, device, scan, history } = await createShop()
    const gate = await device('Gate 1')
    const guesses = await Promise.all(
      Array.from({ length: 70 }, (_, index) => scan(0, { code: `guess-${index}`, decision: 'already_checked_in' })),
    )
    let queue = [...guesses, await scan(0), ...unreadable(40), await scan(1, { code: 'no-such-code' })]
    const sendNext = async () => {
      const { status, recorded = [] } = await send(gate, queue.slice(0, 100))
      queue = queue.filter(({ id }) => !recorded.includes(id))
      return [status, recorded.length]
    }
    expect([await sendNext(), await sendNext()]).toEqual([
      [200, 100],
      [200, 1],
    ])
    expect(await sendNext()).toEqual([429, 0])
    // Above the limit, an existing ticket gets the same response.
    expect(await send(gate, [await scan(1)])).toMatchObject({ status: 429, code: 'rate_limited' })
    expect((await send(await device('Gate 2'), await Promise.all([scan(1, { code: 'no-such-code' })]))).status).toBe(200)
    vi.setSystemTime(Date.now() + 61_000)
    expect(await sendNext()).toEqual([200, 11])
    expect([queue, await history()]).toEqual([[], [['CHECKEDIN', 'Gate 1']]])
    expect(await listConflicts(sellerId)).toHaveLength(42)
  })

  it('are the only scans that count toward this limit, even if recording others fails', async () => {
    const actorId = randomBytes(12).toString('hex')
    const failing = () => limitUnknownScans(actorId, [{ id: 'a' }], () => Promise.reject(new Error('the database is full')))
    for (let attempt = 0; attempt < 101; attempt += 1) await expect(failing()).rejects.toThrow('the database is full')
    expect(await limitUnknownScans(actorId, [{ id: 'a' }], () => Promise.resolve(false))).toEqual(['a'])
  })

  it('do not exceed this limit if they are sent in parallel, and count only once if they are sent again', async () => {
    const { sellerId, device } = await createShop()
    const gate = await device('Gate 1')
    const first = unreadable(10)
    for (let time = 0; time < 20; time += 1) expect((await send(gate, first)).recorded).toHaveLength(10)
    await Promise.all(Array.from({ length: 15 }, () => send(gate, unreadable(10))))
    expect(await listConflicts(sellerId)).toHaveLength(100)
  })
})

it('a conflict can be reviewed once, and only by its own seller', async () => {
  const { sellerId, owner, device, scan } = await createShop()
  const other = await createShop()
  await send(await device('Gate 1'), [await scan(1, { code: 'no-such-code' })])
  const [conflict] = await listConflicts(sellerId)
  const id = String(conflict?.id)
  expect(await reviewConflict(other.sellerId, id, 'x', other.owner.userId)).toBe(false)
  expect(await listConflicts(other.sellerId)).toEqual([])
  expect(await reviewConflict(sellerId, id, 'A friend', owner.userId)).toBe(true)
  expect(await reviewConflict(sellerId, id, 'Again', owner.userId)).toBe(false)
  expect(await listConflicts(sellerId)).toMatchObject([{ note: 'A friend', reviewedBy: owner.email }])
})
