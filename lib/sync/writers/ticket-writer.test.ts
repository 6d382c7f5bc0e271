/** Tickets that are imported with a check-in history count like the tickets whose history it is. */
// @module-tag slow
import { beforeAll, describe, expect, it } from 'vitest'
import { createShop } from '@/testing/door-shop'
import { importLines, importText, type Line, minimal, openTestDatabase } from '@/testing/seller'
import { recountOccupancy } from '../../admission/recount-occupancy'
import { countTurnout } from '../../admission/turnout'
import { exportRecords } from '../export/export'

beforeAll(openTestDatabase)

/** Returns a shop with an event, its device, and a function that counts the event's guests. */
async function createEvent(page: Line) {
  const { sellerId, device, scanCodeOnline } = await createShop(0)
  const gate = await device('Gate 1')
  await importLines('pages', sellerId, [page])
  return {
    sellerId,
    scan: (direction: 'in' | 'out') => scanCodeOnline(gate, 'CODE', direction),
    count: async () => {
      const { attended, inside } = await countTurnout(sellerId, String(page.id))
      return { attended, inside, differences: await recountOccupancy(false, sellerId) }
    },
  }
}

/** Scans a ticket, and imports it into another shop from an export. @returns the shop that imported it */
async function copyScannedTicket(entryPolicy: string, scans: readonly ('in' | 'out')[]) {
  const page = minimal('pages', { entryPolicy })
  const [source, target] = [await createEvent(page), await createEvent(page)]
  await importLines('tickets', source.sellerId, [minimal('tickets', { qrCode: 'CODE', pageId: page.id })])
  for (const direction of scans) expect(await source.scan(direction)).toBe(direction === 'in' ? 'admitted' : 'checked_out')
  for await (const line of exportRecords('tickets', source.sellerId)) await importText('tickets', target.sellerId, line)
  expect(await target.count()).toEqual(await source.count())
  return target
}

const makeEntry = (kind: 'in' | 'out' | 'undo', checkedInAt: string): Line => ({
  method: kind === 'undo' ? 'MANUAL' : 'QRSCAN',
  status: kind === 'in' ? 'CHECKEDIN' : 'UNCHECKEDIN',
  checkedInAt,
})

const [day1, day2] = ['2026-11-20', '2026-11-21'] as const
const minute = (index: number) => `${day1}T19:0${index}:00.000Z`

describe('a ticket that is imported with its history', () => {
  it('counts as arrived if its guest has left', async () => {
    const { count } = await copyScannedTicket('reentry', ['in', 'out'])
    expect(await count()).toEqual({ attended: 1, inside: 0, differences: [] })
  })

  it('lets out everyone who has entered with it', async () => {
    const { count, scan } = await copyScannedTicket('multiple', ['in', 'in', 'in'])
    expect(await count()).toEqual({ attended: 1, inside: 3, differences: [] })
    for (const inside of [2, 1, 0]) {
      expect(await scan('out')).toBe('checked_out')
      expect(await count()).toEqual({ attended: 1, inside, differences: [] })
    }
    expect(await scan('out')).toBe('not_checked_in')
  })

  it('keeps its counts when it is imported again with another history', async () => {
    const page = minimal('pages', { entryPolicy: 'multiple' })
    const { sellerId, count } = await createEvent(page)
    const checkIns = [makeEntry('in', minute(0)), makeEntry('in', minute(1))]
    const ticket = minimal('tickets', { pageId: page.id, checkIns })
    await importLines('tickets', sellerId, [ticket])
    await importLines('tickets', sellerId, [{ ...ticket, customerName: 'Ada', checkIns: [makeEntry('out', minute(2))] }])
    expect(await count()).toEqual({ attended: 1, inside: 2, differences: [] })
  })
})

describe('the counts of an imported history', () => {
  it.each([
    ['multiple entries and exits', 'multiple', ['in', 'in', 'out', 'in', 'out'], minute, { attended: 1, inside: 1 }],
    ['multiple entries that were all undone', 'multiple', ['in', 'in', 'undo', 'undo'], minute, { attended: 0, inside: 0 }],
    ['an exit without an entry', 'reentry', ['out'], minute, { attended: 1, inside: 0 }],
    ['an undone entry', 'single', ['in', 'undo'], minute, { attended: 0, inside: 0 }],
    ['a guest who is back', 'reentry', ['in', 'out', 'in'], minute, { attended: 1, inside: 1 }],
    ['entries of which only the day is known', 'multiple', ['in', 'in', 'out'], () => day1, { attended: 1, inside: 1 }],
    [
      'a last exit of which only the day is known',
      'reentry',
      ['in', 'out', 'in', 'out'],
      (index: number) => (index === 3 ? day2 : minute(index)),
      { attended: 1, inside: 0 },
    ],
  ] as const)('are right for %s', async (_, entryPolicy, kinds, timeOf, counts) => {
    const page = minimal('pages', { entryPolicy })
    const { sellerId, count } = await createEvent(page)
    const checkIns = kinds.map((kind, index) => makeEntry(kind, timeOf(index)))
    await importLines(
      'tickets',
      sellerId,
      [{ checkIns }, {}].map((members) => minimal('tickets', { pageId: page.id, ...members })),
    )
    expect(await count()).toEqual({ ...counts, differences: [] })
  })
})
