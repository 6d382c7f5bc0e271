/** A device shows which of its offline scans became conflicts. */
// @module-tag slow
import 'fake-indexeddb/auto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { revokeDevice } from '@/lib/accounts/check-in-devices'
import { reviewConflict } from '@/lib/admission/conflicts'
import { listConflicts } from '@/lib/listing/list-conflicts'
import { newId } from '@/testing/devices'
import { createShop, scan, strongCode } from '@/testing/offline-device'
import { importLines, minimal, openTestDatabase } from '@/testing/seller'

beforeAll(openTestDatabase)
afterEach(() => {
  vi.restoreAllMocks()
})

type Shop = Awaited<ReturnType<typeof createShop>>
type Device = Awaited<ReturnType<Shop['addDevice']>>

/** Sets up two doors that both let in a guest with the first ticket offline, the first door earlier than the second. */
async function openDoors() {
  const shop = await createShop(2)
  const [first, second] = [await shop.addDevice('Gate 1'), await shop.addDevice('Gate 2')]
  const id = newId()
  for (const door of [first, second]) await door.engine.synchronize()
  const now = Date.now
  for (const door of [first, second]) {
    door.network.state = 'down'
    // The order of the two entries must not depend on how accurately the devices have measured the server's clock.
    vi.spyOn(Date, 'now').mockImplementation(() => now() + (door === first ? -60_000 : 60_000))
    expect(await scan(door, strongCode(0), door === second ? id : newId())).toBe('local admitted')
  }
  vi.restoreAllMocks()
  return { ...shop, first, second, id }
}

/** Reports a device's scans. @returns its conflicts */
async function report(device: Device) {
  device.network.state = 'up'
  await device.engine.synchronize()
  return (await device.engine.status()).conflicts
}

describe('the conflicts of a device', () => {
  it('include its admission of a ticket that was used earlier at another door, until staff review the conflict', async () => {
    const { sellerId, owner, first, second, id } = await openDoors()
    expect(await report(first)).toEqual([])
    const conflict = {
      id,
      kind: 'double_entry',
      at: expect.stringMatching(/Z$/),
      otherAt: expect.stringMatching(/Z$/),
      otherGate: 'Gate 1',
    }
    expect(await report(second)).toEqual([conflict])
    expect(await report(first)).toEqual([])
    await reviewConflict(sellerId, id, 'Both are in', owner.userId)
    expect(await report(second)).toEqual([])
  })

  it('include an admission that becomes a conflict when the other door reports an earlier one', async () => {
    const { first, second, id } = await openDoors()
    expect(await report(second)).toEqual([])
    expect(await report(first)).toEqual([])
    expect(await report(second)).toMatchObject([{ id, kind: 'double_entry', otherGate: 'Gate 1' }])
  })

  it('include a guest who was turned away in error, but not a guest whom the person at the door let in with an unknown code', async () => {
    const { sellerId, addDevice } = await createShop(1)
    const device = await addDevice()
    await device.engine.synchronize()
    device.network.state = 'down'
    // This ticket is sold after the list was updated.
    await importLines('tickets', sellerId, [minimal('tickets', { qrCode: strongCode(1) })])
    // The device notices that it is offline, so that the scan is not sent, and its refusal is not held back.
    await device.engine.synchronize()
    const refused = newId()
    expect(await scan(device, strongCode(1), refused)).toBe('local unknown')
    const override = await device.engine.override({ id: newId(), code: 'paper-ticket', checkIn: true, pageId: undefined })
    expect(override).toMatch(/^[0-9a-f]{32}$/)
    expect(await report(device)).toMatchObject([{ id: refused, kind: 'refused_in_error', otherAt: null, otherGate: null }])
    expect((await listConflicts(sellerId)).map(({ id }) => id)).toContain(override)
  })

  it('are not sent to a revoked device', async () => {
    const { sellerId, owner, first, second } = await openDoors()
    await report(first)
    await revokeDevice(sellerId, second.id, owner)
    expect(await report(second)).toEqual([])
    expect(await listConflicts(sellerId)).toMatchObject([{ kind: 'double_entry' }])
  })
})
