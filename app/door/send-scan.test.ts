/** A device schedules the sending of scans that it checked locally, whether or not it is offline. */
import { afterEach, expect, it, vi } from 'vitest'
import { beginChange, sendChange } from './door-client'
import { createEntryCounter } from './entry-counter'
import type { Engine } from './offline/engine'
import type { EngineScan } from './offline/scan-request'
import { shareScans } from './offline/share-scans'
import { toOutcome } from './outcomes'
import { letInAnyway, sendScan } from './send-scan'
import type { Offline } from './use-offline'

const SCAN = { code: 'K7qW2xZr9LmT4vBn8HcYs3Dj', source: 'camera', checkIn: true, pageId: undefined } as const

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Creates the offline functions of a page whose engine returns this result. */
function setUp(result: EngineScan) {
  const engine = { scan: async () => result, override: async () => 'override' } as unknown as Engine
  const offline = { engine, refresh: vi.fn(), sendSoon: vi.fn() } as unknown as Offline
  return { engine, offline, change: beginChange('/door/scan', SCAN) }
}

it('schedules the sending of a scan that the device checked locally, even if the device is online', async () => {
  const decision = { kind: 'unknown', index: 'a', message: undefined, ticket: undefined } as const
  const { engine, offline, change } = setUp({ decidedBy: 'device', decision, scanId: 'a', listUpdatedAt: 0, isHeld: false })
  await sendScan(engine, offline, change, SCAN, 'UTC')
  expect(offline.sendSoon).toHaveBeenCalledOnce()
})

it('schedules nothing after a scan that the server checked', async () => {
  const { engine, offline, change } = setUp({ decidedBy: 'server', response: Response.json({ kind: 'admitted' }) })
  await sendScan(engine, offline, change, SCAN, 'UTC')
  expect(offline.sendSoon).not.toHaveBeenCalled()
})

it('after a scan that the server checked, sends an earlier scan of the ticket that got no response', async () => {
  const decision = { kind: 'unknown', index: 'a', message: undefined, ticket: undefined } as const
  const first = setUp({ decidedBy: 'device', decision, scanId: 'a', listUpdatedAt: 0, isHeld: true })
  await sendScan(first.engine, first.offline, first.change, SCAN, 'UTC')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  const request = vi.fn<typeof fetch>(async () => Response.json({ kind: 'unknown' }))
  vi.stubGlobal('fetch', request)
  const next = setUp({ decidedBy: 'server', response: Response.json({ kind: 'admitted' }) })
  await sendScan(next.engine, next.offline, next.change, SCAN, 'UTC')
  expect(request).toHaveBeenCalledOnce()
  expect(JSON.parse(String(request.mock.lastCall?.[1]?.body))).toMatchObject({ key: first.change.key, code: SCAN.code, late: true })
})

it('schedules the sending of an override', async () => {
  const { offline } = setUp({ decidedBy: 'none' })
  await letInAnyway(offline, { id: 'a', code: SCAN.code, source: SCAN.source }, undefined)
  expect(offline.sendSoon).toHaveBeenCalledOnce()
})

const ADMITTED = { kind: 'admitted', message: 'Ticket validated', didCheckIn: true, replayed: false } as const

it.each(['with', 'without'])(
  'shows “Admitted” for both scans of a code that is read twice, and counts one guest: %s a list',
  async (list) => {
    const engine = { scan: shareScans(async () => ({ decidedBy: 'server', response: Response.json(ADMITTED) })) } as unknown as Engine
    const offline = { engine, refresh() {} } as unknown as Offline
    let requests = 0
    vi.stubGlobal('fetch', async () => {
      requests += 1
      return Response.json({ ...ADMITTED, replayed: requests > 1 })
    })
    const code = { ...SCAN, code: `${SCAN.code}${list}` }
    const entries = createEntryCounter()
    const readCode = async () => {
      const isMissing = entries.begin()
      const change = beginChange('/door/scan', code)
      const sent = await (list === 'with' ? sendScan(engine, offline, change, code, 'UTC') : sendChange<typeof ADMITTED>(change))
      if ('local' in sent || sent.outcome !== 'ok') throw new Error('There is no response.')
      return { kind: toOutcome(sent, 'UTC').kind, isCounted: isMissing(sent.data) }
    }
    expect(await Promise.all([readCode(), readCode()])).toEqual([
      { kind: 'admitted', isCounted: true },
      { kind: 'admitted', isCounted: false },
    ])
  },
)
