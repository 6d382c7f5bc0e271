/** A recount derives the number of people who are inside with copied tickets or unknown codes from the scans. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { newId } from '@/testing/devices'
import { createShop, waitForClock } from '@/testing/door-shop'
import { importLines, minimal, openTestDatabase } from '@/testing/seller'
import { recountOccupancy } from './recount-occupancy'
import { countTurnout } from './turnout'

beforeAll(openTestDatabase)

it('finds and corrects occupancy counts that differ from the scans, for tickets, unknown codes and events', { tags: 'slow' }, async () => {
  const { sellerId, pageId, device, scanOnline, seal, send, turnout, findDifferences, ticketId } = await createShop(2)
  const [offlineDevice, onlineDevice] = [await device('Gate 1'), await device('Gate 2')]
  await scanOnline(onlineDevice, 0, 'in')
  await scanOnline(onlineDevice, 1, 'in')
  await waitForClock()
  const unknownCode = { code: 'unknown-code', isOverride: true, pageId }
  await send(offlineDevice, [
    await seal(0, 'in', Date.now() - 20),
    await seal(0, 'in', Date.now() - 20, unknownCode),
    await seal(0, 'in', Date.now() - 15, unknownCode),
    await seal(0, 'out', Date.now() - 10, unknownCode),
  ])
  expect(await turnout()).toMatchObject({ inside: 4 })
  expect(await findDifferences()).toEqual([])
  await database().transaction(async ({ rows }) => {
    await rows(sql`update tickets set extra_inside = 5 where seller_id = ${sellerId} and id = ${ticketId}`)
    await rows(
      sql`update offline_scans set has_left = not has_left where seller_id = ${sellerId} and ticket_id is null and direction = 'in'`,
    )
  })
  expect(await turnout()).toMatchObject({ inside: 8 })
  const found = [
    { table: 'tickets', key: { id: ticketId }, stored: { extra_inside: 5 }, actual: { extra_inside: 1 } },
    { table: 'offline_scans', stored: { has_left: expect.any(Number) } },
    { table: 'offline_scans', stored: { has_left: expect.any(Number) } },
  ]
  expect(await recountOccupancy(false, sellerId)).toMatchObject(found)
  expect(await turnout()).toMatchObject({ inside: 8 })
  expect(await recountOccupancy(true, sellerId)).toMatchObject(found)
  expect(await turnout()).toMatchObject({ inside: 4 })
  expect(await findDifferences()).toEqual([])
})

it('corrects an exit that let a guest out but is recorded as having let out nobody', { tags: 'slow' }, async () => {
  const { sellerId, pageId, device, scanOnline, seal, send, turnout, findDifferences } = await createShop()
  const [offlineDevice, onlineDevice] = [await device('Gate 1'), await device('Gate 2')]
  const other = minimal('pages', { name: 'Choir' })
  await importLines('pages', sellerId, [other])
  const inside = async () => [(await turnout()).inside, (await countTurnout(sellerId, String(other.id))).inside]
  const entries = [
    await seal(0, 'in', Date.now() + 10, { pageId }),
    await seal(0, 'in', Date.now() + 5, { pageId: String(other.id), isOverride: true }),
  ]
  await waitForClock()
  const exit = newId()
  expect(await scanOnline(onlineDevice, 0, 'out', exit)).toBe('not_checked_in')
  await send(offlineDevice, entries)
  expect([await inside(), await findDifferences()]).toEqual([[0, 1], []])
  await database().use(({ rows }) => rows(sql`update offline_scans set has_left = not has_left where seller_id = ${sellerId}`))
  const key = { seller_id: sellerId, id: exit }
  const found = { table: 'offline_scans', key, stored: { has_left: 0 }, actual: { has_left: 1 } }
  expect(await recountOccupancy(false, sellerId)).toContainEqual(found)
  expect(await inside()).toEqual([0, 0])
  await recountOccupancy(true, sellerId)
  expect([await inside(), await findDifferences()]).toEqual([[0, 1], []])
})
