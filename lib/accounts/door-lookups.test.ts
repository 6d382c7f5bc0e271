/** Tests that a device or session that floods the server does not keep others from checking in guests. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { sessions } from '@/db/schema'
import { makeDevice, makeOwner } from '@/testing/devices'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { findDevice, findReportingDevice, revokeDevice } from './check-in-devices'
import { findSessionUser } from './sessions'

beforeAll(openTestDatabase)

/** Creates a seller with two devices and a session, and looks them up once. @returns functions that look them up again */
async function openDoor() {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const [device, other] = [await makeDevice(sellerId, owner), await makeDevice(sellerId, owner)]
  const sessionId = `door-${sellerId}`
  await database().use(({ orm }) =>
    orm.insert(sessions).values({ id: sessionId, userId: owner.userId, expiresAt: sql`now() + interval '1 hour'` }),
  )
  const door = {
    device: () => findDevice(device.token),
    other: () => findDevice(other.token),
    session: () => findSessionUser(sessionId, true),
    report: () => findReportingDevice(device.token),
    revoke: () => revokeDevice(sellerId, device.id, owner),
  }
  for (const find of [door.device, door.other, door.session]) expect(await find()).toMatchObject({ sellerId })
  return door
}

it.each(['device', 'session', 'report'] as const)(
  'looks up other devices of the seller, and those of other sellers, before the waiting lookups of a flood (%s)',
  async (kind) => {
    const [flooded, another] = [await openDoor(), await openDoor()]
    if (kind === 'report') await flooded.revoke()
    const order: string[] = []
    const track = async (name: string, find: () => Promise<unknown>) => {
      expect(await find()).toBeDefined()
      order.push(name)
    }
    const lookups = Array.from({ length: 100 }, () => track('flood', flooded[kind]))
    lookups.push(track('same seller', flooded.other), track('another seller', another.device))
    const refused = (await Promise.allSettled(lookups)).filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(100 - 8 - 50)
    expect(refused[0]).toMatchObject({ reason: { name: 'UnavailableError', code: 'queue_full' } })
    // These lookups wait for those that are running, and connections may respond in any order. If sellers and devices did not take turns,
    // these would come after all 58 of the flood.
    for (const name of ['same seller', 'another seller']) expect(order.indexOf(name), name).toBeLessThan(50)
  },
)
