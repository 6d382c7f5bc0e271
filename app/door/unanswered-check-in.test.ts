/** Without a list, the next scan of a ticket repeats a manual check-in that got no response, so that the guest counts once. */
// @module-tag slow
import 'fake-indexeddb/auto'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { createShop, strongCode } from '@/testing/offline-device'
import { openTestDatabase } from '@/testing/seller'
import { beginChange, sendChange } from './door-client'
import type { ScanResponse } from './responses'

beforeAll(openTestDatabase)
afterEach(() => void vi.unstubAllGlobals())

/** Opens the check-in page on a device without a list. @returns functions that check in the first ticket, as the page does */
async function openPage(entryPolicy: 'single' | 'reentry' | 'multiple') {
  const { sellerId, owner, tickets, addDevice, history } = await createShop(2, {}, true)
  const pageId = String(tickets[0]?.pageId)
  await updateCheckoutPage(sellerId, pageId, { name: 'Jazz', entryPolicy }, owner)
  const { network, send } = await addDevice('Gate 1', ['search', 'checkout', 'undo'])
  vi.stubGlobal('fetch', send)
  const door = { pageId, device: 'Gate 7' }
  const change = async (...[path, fields]: Parameters<typeof beginChange>) => {
    const sent = await sendChange<ScanResponse>(beginChange(path, { ...fields, ...door }))
    return sent.outcome === 'ok' ? `${sent.data.kind}${sent.data.replayed ? ' replayed' : ''}` : sent.outcome
  }
  const scan = (code: string, part: object = {}) => change('/door/scan', { code, source: 'typed', checkIn: true, ...part })
  const admit = (index = 0) => change('/door/admit', { ticketId: String(tickets[index]?.id) })
  const statuses = async (index = 0) => (await history(index)).map(([status]) => status)
  return { network, scan, admit, statuses, ticketId: String(tickets[0]?.id) }
}

it.each([
  ['single', strongCode(0), 'already_checked_in', 1],
  ['multiple', strongCode(0).toLowerCase(), 'admitted', 2],
] as const)('counts the guest of an event with the policy %s once (code %s)', async (policy, code, nextKind, nextCount) => {
  const { network, scan, admit, statuses } = await openPage(policy)
  network.state = 'lost'
  expect(await admit()).toBe('offline')
  network.state = 'up'
  expect([await scan(strongCode(1)), await statuses(1)]).toEqual(['admitted', ['CHECKEDIN']])
  expect([await scan(code, { checkIn: false }), (await statuses()).length]).toEqual([
    policy === 'single' ? 'already_checked_in' : 'previewed',
    1,
  ])
  // The response to the repeated check-in is lost, too.
  network.state = 'lost'
  expect(await scan(code)).toBe('offline')
  network.state = 'up'
  expect([await scan(code), await statuses()]).toEqual(['admitted replayed', ['CHECKEDIN']])
  // The check-in has received a response, so the next scan is a new one.
  expect([await scan(code), (await statuses()).length]).toEqual([nextKind, nextCount])
})

it('checks the guest in with the scan if the server has not received the manual check-in', async () => {
  const { network, scan, admit, statuses } = await openPage('multiple')
  network.state = 'down'
  expect(await admit()).toBe('offline')
  network.state = 'up'
  expect([await scan(strongCode(0)), await statuses()]).toEqual(['admitted', ['CHECKEDIN']])
  expect([await admit(), await statuses()]).toEqual(['admitted', ['CHECKEDIN', 'CHECKEDIN']])
})

it('counts the return of a guest who was checked out since', async () => {
  const { network, scan, admit, statuses } = await openPage('reentry')
  network.state = 'lost'
  expect(await admit()).toBe('offline')
  network.state = 'up'
  expect([await scan(strongCode(0), { direction: 'out' }), await scan(strongCode(0))]).toEqual(['checked_out', 'admitted'])
  expect(await statuses()).toEqual(['CHECKEDIN', 'UNCHECKEDIN', 'CHECKEDIN'])
})

it('counts the next entry if the check-in was undone since', async () => {
  const { network, scan, admit, statuses, ticketId } = await openPage('single')
  network.state = 'lost'
  expect(await admit()).toBe('offline')
  network.state = 'up'
  expect(await sendChange(beginChange('/door/undo', { ticketId, sequence: 1, reason: 'Left' }))).toMatchObject({ data: { done: true } })
  expect([await scan(strongCode(0)), await statuses()]).toEqual(['admitted', ['CHECKEDIN', 'UNCHECKEDIN', 'CHECKEDIN']])
})
