/** The number of people inside with copied tickets or unknown codes can be recounted from the scans. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { openShop, pass } from '@/testing/door-shop'
import { openTestDatabase } from '@/testing/seller'
import { recountInside } from './recount-inside'

beforeAll(openTestDatabase)

it('finds and repairs wrong numbers of people inside, including the event’s counts', { tags: 'slow' }, async () => {
  const { sellerId, pageId, device, online, seal, send, turnout, wrong, ticketId } = await openShop(2)
  const [offline, gate] = [await device('Gate 1'), await device('Gate 2')]
  await online(gate, 0, 'in')
  await online(gate, 1, 'in')
  await pass()
  const stray = { code: 'a code of no ticket', isOverride: true, pageId }
  await send(offline, [
    await seal(0, 'in', Date.now() - 20),
    await seal(0, 'in', Date.now() - 20, stray),
    await seal(0, 'in', Date.now() - 15, stray),
    await seal(0, 'out', Date.now() - 10, stray),
  ])
  expect(await turnout()).toMatchObject({ inside: 4 })
  expect(await wrong()).toEqual([])
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
  expect(await recountInside(false, sellerId)).toMatchObject(found)
  expect(await turnout()).toMatchObject({ inside: 8 })
  expect(await recountInside(true, sellerId)).toMatchObject(found)
  expect(await turnout()).toMatchObject({ inside: 4 })
  expect(await wrong()).toEqual([])
})
