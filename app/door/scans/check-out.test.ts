/** Check-outs at online and offline doors. The number of people inside is exact, regardless of the order in which scans arrive. */
// @module-tag slow
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DeviceRight, revokeDevice } from '@/lib/accounts/check-in-devices'
import { readBookingTickets } from '@/lib/admission/booking-tickets'
import { undoCheckIn } from '@/lib/admission/change-ticket'
import { signDeviceId } from '@/lib/admission/signed-device-id'
import { countTurnout } from '@/lib/admission/turnout'
import { listConflicts } from '@/lib/listing/list-conflicts'
import { listEventTypes, makeDevice, newId, setEntryPolicy } from '@/testing/devices'
import { createShop, waitForClock } from '@/testing/door-shop'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, minimal } from '@/testing/seller'
import { countStatements } from '@/testing/statements'

// Uses its own database, because most tests recount every record.
withOwnDatabase()

describe('a check-out', () => {
  it('appends an exit to the history, writes its event, and counts the guest as having attended but not as inside', async () => {
    const { sellerId, device, scanOnline, history, turnout, findDifferences, ticketId } = await createShop()
    const gate = await device('Gate 1')
    await setEntryPolicy(sellerId, 'reentry')
    expect([await scanOnline(gate, 0, 'out'), await scanOnline(gate, 0, 'in')]).toEqual(['not_checked_in', 'admitted'])
    expect(await turnout()).toEqual({ attended: 1, inside: 1, sold: 1 })
    const key = newId()
    const count = await countStatements(async () => expect(await scanOnline(gate, 0, 'out', key)).toBe('checked_out'))
    expect(count).toBeLessThanOrEqual(7)
    // The request is retried because its response was lost.
    expect(await scanOnline(gate, 0, 'out', key)).toBe('checked_out')
    expect(await turnout()).toEqual({ attended: 1, inside: 0, sold: 1 })
    expect(await scanOnline(gate, 0, 'in')).toBe('admitted')
    expect(await history()).toEqual([
      ['CHECKEDIN', 'QRSCAN', 'Gate 1'],
      ['UNCHECKEDIN', 'QRSCAN', 'Gate 1'],
      ['CHECKEDIN', 'QRSCAN', 'Gate 1'],
    ])
    expect(await listEventTypes(sellerId, ticketId)).toEqual(['ticket.checked_in', 'ticket.checked_out', 'ticket.checked_in'])
    expect((await countTurnout(sellerId, undefined)).devices).toEqual([
      { id: gate.id, name: 'Gate 1', scans: { admitted: 2, checked_out: 1, not_checked_in: 1 } },
    ])
    expect(await findDifferences()).toEqual([])
  })

  it('requires the right to check out guests', async () => {
    const { device, scanOnline, turnout } = await createShop()
    const gate = await device('Gate 1', ['offline'])
    await scanOnline(gate, 0, 'in')
    expect(await scanOnline(gate, 0, 'out')).toMatch(/isn’t allowed to check out guests/)
    expect(await turnout()).toMatchObject({ inside: 1 })
  })

  it('requires the same right offline, and scans for unknown events are not counted for any event', async () => {
    const { sellerId, device, scanOnline, seal, send, history, turnout, findDifferences } = await createShop()
    const [gate, other, own] = [await device('Gate 1', ['offline']), await device('Gate 2'), await device('Own', ['offline', 'session'])]
    await scanOnline(gate, 0, 'in')
    await waitForClock()
    await send(gate, [await seal(0, 'out', Date.now())])
    // Another late scan makes the server derive the ticket's history again.
    await send(other, [await seal(0, 'in', Date.now(), { decision: 'already_checked_in', pageId: 'f'.repeat(24) })])
    await scanOnline(other, 0, 'in', newId(), 'e'.repeat(24))
    expect(await history()).toHaveLength(1)
    expect(await turnout()).toMatchObject({ inside: 1 })
    expect((await listConflicts(sellerId)).map(({ kind, scannedBy }) => [kind, scannedBy])).toEqual([['not_permitted', 'Gate 1']])
    await waitForClock()
    await send(own, [await seal(0, 'out', Date.now())])
    expect(await turnout()).toMatchObject({ inside: 0 })
    for (const unknown of ['e', 'f']) expect((await countTurnout(sellerId, unknown.repeat(24))).devices).toEqual([])
    expect(await findDifferences()).toEqual([])
  })

  it('makes a single-entry ticket unusable', async () => {
    const { device, scanOnline } = await createShop()
    const gate = await device('Gate 1')
    for (const direction of ['in', 'out'] as const) await scanOnline(gate, 0, direction)
    expect(await scanOnline(gate, 0, 'in')).toBe('already_checked_in')
  })

  it('at an online door takes effect once an offline door reports the preceding entry', async () => {
    const { device, scanOnline, seal, send, history, turnout, findDifferences } = await createShop()
    const [offlineGate, onlineGate] = [await device('Gate 1'), await device('Gate 2')]
    const entry = await seal(0, 'in', Date.now() + 10)
    await waitForClock()
    expect(await scanOnline(onlineGate, 0, 'out')).toBe('not_checked_in')
    await send(offlineGate, [entry])
    expect(await history()).toEqual([
      ['CHECKEDIN', 'QRSCAN', 'Gate 1'],
      ['UNCHECKEDIN', 'QRSCAN', 'Gate 2'],
    ])
    expect(await turnout()).toEqual({ attended: 1, inside: 0, sold: 1 })
    // The history is derived again without adding a second exit.
    await send(offlineGate, [await seal(0, 'out', Date.now())])
    expect(await history()).toHaveLength(2)
    expect(await findDifferences()).toEqual([])
  })

  it('of the second guest with a copied ticket leaves no one inside', async () => {
    const { device, scanOnline, seal, send, turnout, findDifferences } = await createShop()
    const [offlineGate, onlineGate] = [await device('Gate 1'), await device('Gate 2')]
    await scanOnline(onlineGate, 0, 'in')
    await waitForClock()
    await send(offlineGate, [await seal(0, 'in', Date.now())])
    expect(await turnout()).toMatchObject({ attended: 1, inside: 2 })
    expect(await scanOnline(onlineGate, 0, 'out')).toBe('checked_out')
    expect(await turnout()).toMatchObject({ inside: 1 })
    expect(await scanOnline(onlineGate, 0, 'out')).toBe('not_checked_in')
    expect(await turnout()).toMatchObject({ inside: 0 })
    expect(await findDifferences()).toEqual([])
  })

  it('that an offline door reports writes its event once, and has no effect if the server has already recorded the scan', async () => {
    const { sellerId, device, scanOnline, seal, send, turnout, ticketId } = await createShop()
    const gate = await device('Gate 1')
    await scanOnline(gate, 0, 'in')
    await waitForClock()
    await send(gate, [await seal(0, 'out', Date.now())])
    const key = newId()
    expect(await scanOnline(gate, 0, 'out', key)).toBe('not_checked_in')
    await send(gate, [await seal(0, 'out', Date.now(), {}, key)])
    expect(await turnout()).toMatchObject({ inside: 0 })
    expect(await listEventTypes(sellerId, ticketId)).toEqual(['ticket.checked_in', 'ticket.checked_out'])
  })

  it('by an earlier device of a browser counts if both devices may check out guests (a user’s own browser always may)', async () => {
    const ownRights: DeviceRight[] = ['session', 'offline', 'names']
    const gateRights: DeviceRight[] = ['offline', 'checkout']
    for (const [earlierRights, laterRights] of [
      [ownRights, gateRights],
      [gateRights, ownRights],
      [ownRights, ownRights],
    ] as const) {
      const { sellerId, owner, device, seal, send, turnout, findDifferences } = await createShop()
      const earlier = await device('Earlier', [...earlierRights])
      await waitForClock()
      const scans = [await seal(0, 'in', Date.now() - 20), await seal(0, 'out', Date.now() - 10)]
      await revokeDevice(sellerId, earlier.id, owner)
      const signedDeviceId = await signDeviceId(sellerId, earlier.id)
      await send(
        await device('Later', [...laterRights]),
        scans.map((scan) => ({ ...scan, signedDeviceId })),
      )
      expect([await turnout(), await listConflicts(sellerId)]).toEqual([{ attended: 1, inside: 0, sold: 1 }, []])
      expect(await findDifferences()).toEqual([])
    }
  })

  it('that was reported by an offline door and then undone stays undone when another door reports a scan', async () => {
    const { sellerId, device, scanOnline, seal, send, history, turnout, findDifferences, ticketId } = await createShop()
    const [gate, other] = [await device('Gate 1'), await device('Gate 2')]
    await scanOnline(gate, 0, 'in')
    await waitForClock()
    await send(gate, [await seal(0, 'out', Date.now())])
    const undo = { sellerId, actorId: gate.id, ticketId, body: {}, sequence: 2, reason: 'Wrong guest' }
    expect((await undoCheckIn(undo, () => ({ status: 200, body: '' }))).result).toMatchObject({ outcome: 'undone' })
    await waitForClock()
    await send(other, [await seal(0, 'in', Date.now(), { decision: 'already_checked_in' })])
    expect((await history()).map(([status, method]) => [status, method])).toEqual([
      ['CHECKEDIN', 'QRSCAN'],
      ['UNCHECKEDIN', 'QRSCAN'],
      ['CHECKEDIN', 'MANUAL'],
    ])
    expect(await listConflicts(sellerId)).toEqual([])
    expect(await turnout()).toEqual({ attended: 1, inside: 1, sold: 1 })
    expect(await findDifferences()).toEqual([])
  })

  it('with a multiple-entry ticket counts one person per entry and exit, at online and offline doors', async () => {
    const { sellerId, device, scanOnline, seal, send, history, turnout, findDifferences, getCode } = await createShop()
    const [gate, offlineGate] = [await device('Gate 1'), await device('Gate 2')]
    await setEntryPolicy(sellerId, 'multiple')
    const inside: number[] = []
    const recordInside = async () => inside.push((await turnout()).inside)
    for (const direction of ['in', 'in', 'in', 'out', 'out'] as const) {
      expect(await scanOnline(gate, 0, direction)).toBe(direction === 'in' ? 'admitted' : 'checked_out')
      await recordInside()
    }
    expect(inside).toEqual([1, 2, 3, 2, 1])
    await waitForClock()
    await send(offlineGate, [await seal(0, 'in', Date.now()), await seal(0, 'in', Date.now())])
    await recordInside()
    await send(offlineGate, [await seal(0, 'out', Date.now(), { code: ` ${getCode(0).toUpperCase()}` })])
    await recordInside()
    for (const expected of ['checked_out', 'checked_out', 'not_checked_in']) {
      expect(await scanOnline(gate, 0, 'out')).toBe(expected)
      await recordInside()
    }
    expect(inside.slice(5)).toEqual([3, 2, 1, 0, 0])
    expect(await history()).toHaveLength(10)
    expect(await listConflicts(sellerId)).toEqual([])
    expect(await turnout()).toEqual({ attended: 1, inside: 0, sold: 1 })
    expect(await findDifferences()).toEqual([])
  })

  it('of a guest who entered with a canceled multiple-entry ticket leaves no one inside', async () => {
    const canceledAt = new Date(Date.now() - 60_000).toISOString()
    const { sellerId, device, seal, send, history, turnout, findDifferences } = await createShop(1, { status: 'CANCELED', canceledAt })
    const gate = await device('Gate 1')
    await setEntryPolicy(sellerId, 'multiple')
    await waitForClock()
    const start = Date.now() - 50
    for (const [offsetMs, direction] of (['in', 'out', 'out'] as const).entries()) {
      await send(gate, [await seal(0, direction, start + offsetMs)])
      expect([(await turnout()).inside, await findDifferences()]).toEqual([direction === 'in' ? 1 : 0, []])
    }
    expect(await history()).toEqual([['UNCHECKEDIN', 'QRSCAN', 'Gate 1']])
  })
})

describe('a ticket that is moved to another event', () => {
  it.each([
    { exits: 0, inside: 2 },
    { exits: 2, inside: 0 },
  ])(
    'keeps its conflicts and its guests inside ($inside), and a later scan at another door adds one of each',
    async ({ exits, inside }) => {
      const { sellerId, owner, pageId, device, scanOnline, seal, send, history, findDifferences, ticketId, getCode } = await createShop()
      const other = minimal('pages', { name: 'Choir' })
      await importLines('pages', sellerId, [other])
      const limited = (name: string) => makeDevice(sellerId, owner, { name, rights: ['offline', 'checkout'], pageIds: [pageId] })
      const [gate, own, exit, later] = [await device('Gate 1'), await limited('Gate 2'), await limited('Exit'), await device('Gate 3')]
      const start = Date.now()
      const scans = [await seal(0, 'in', start + 10), await seal(0, 'in', start + 5, { decision: 'unknown' })] as const
      await waitForClock()
      expect(await scanOnline(own, 0, 'in')).toBe('admitted')
      await send(gate, [scans[0]])
      await send(exit, [scans[1]])
      for (let count = 0; count < exits; count += 1) {
        await waitForClock()
        await send(exit, [await seal(0, 'out', Date.now())])
      }
      const read = async () => ({
        conflicts: (await listConflicts(sellerId)).map(({ kind, scannedBy }) => [kind, scannedBy]).toSorted(),
        inside: (await countTurnout(sellerId, pageId)).inside + (await countTurnout(sellerId, String(other.id))).inside,
        history: await history(),
      })
      const before = await read()
      const conflicts = [
        ['double_entry', 'Gate 2'],
        ['refused_in_error', 'Exit'],
      ]
      expect(before).toMatchObject({ conflicts, inside })
      await importLines('tickets', sellerId, [minimal('tickets', { id: ticketId, qrCode: getCode(0), pageId: other.id })])
      expect(await findDifferences()).toEqual([])
      await waitForClock()
      await send(later, [await seal(0, 'in', Date.now())])
      expect(await read()).toEqual({
        conflicts: [...conflicts, ['double_entry', 'Gate 3']].toSorted(),
        inside: inside + 1,
        history: before.history,
      })
      expect(await findDifferences()).toEqual([])
    },
  )
})

describe('a guest who was let in with a code that belongs to no ticket for the event', () => {
  const OVERRIDE = { code: 'No such code', isOverride: true }

  it('is counted for the door’s event until the guest is scanned out, whether online or offline', async () => {
    const { sellerId, pageId, device, scanCodeOnline, seal, send, turnout, findDifferences } = await createShop()
    const [offlineGate, gate] = [await device('Gate 1'), await device('Gate 2')]
    await send(offlineGate, [
      await seal(0, 'in', Date.now(), { ...OVERRIDE, pageId }),
      await seal(0, 'in', Date.now(), { ...OVERRIDE, pageId }),
    ])
    expect(await turnout()).toEqual({ attended: 0, inside: 2, sold: 1 })
    expect(await scanCodeOnline(gate, 'another code', 'out')).toBe('unknown')
    const key = newId()
    // The request is retried because its response was lost.
    for (let attempt = 0; attempt < 2; attempt += 1) expect(await scanCodeOnline(gate, 'nosuchCODE', 'out', key)).toBe('checked_out')
    expect(await turnout()).toMatchObject({ inside: 1 })
    await waitForClock()
    await send(offlineGate, [await seal(0, 'out', Date.now(), { ...OVERRIDE, decision: 'unknown' })])
    expect(await turnout()).toMatchObject({ inside: 0 })
    expect(await scanCodeOnline(gate, 'no such code', 'out')).toBe('unknown')
    expect(await turnout()).toMatchObject({ inside: 0 })
    expect((await listConflicts(sellerId)).map(({ kind }) => kind)).toEqual(['unknown_code', 'unknown_code'])
    expect(await findDifferences()).toEqual([])
  })

  it('has left even if the entry is reported after the exit, but not if the entry was made after the exit', async () => {
    const { pageId, device, scanCodeOnline, seal, send, turnout, findDifferences } = await createShop()
    const [offlineGate, gate] = [await device('Gate 1'), await device('Gate 2')]
    const entry = await seal(0, 'in', Date.now() + 10, { ...OVERRIDE, pageId })
    await waitForClock()
    expect(await scanCodeOnline(gate, OVERRIDE.code, 'out')).toBe('unknown')
    const later = await seal(0, 'in', Date.now() + 10, { ...OVERRIDE, pageId })
    await send(offlineGate, [later])
    expect(await turnout()).toMatchObject({ inside: 1 })
    await send(offlineGate, [entry])
    expect(await turnout()).toMatchObject({ inside: 1 })
    expect(await findDifferences()).toEqual([])
  })

  it('is scanned out by exactly one of six concurrent exits whose codes differ only in letter case', async () => {
    const { pageId, device, scanCodeOnline, seal, send, turnout, findDifferences } = await createShop()
    const gate = await device('Gate 1')
    const codes = ['no such code', 'No such code', 'NO such code', 'NO SUCH code', 'NO SUCH CODE', 'no SUCH CODE']
    await send(gate, await Promise.all(codes.map(() => seal(0, 'in', Date.now(), { ...OVERRIDE, pageId }))))
    await waitForClock()
    expect(await Promise.all(codes.map((code) => scanCodeOnline(gate, code, 'out')))).toEqual(codes.map(() => 'checked_out'))
    expect(await turnout()).toMatchObject({ inside: 0 })
    expect(await findDifferences()).toEqual([])
  })

  it('is scanned out only by a device that may check out guests, even if the code belongs to a ticket for another event', async () => {
    const { sellerId, owner, pageId, scanCodeOnline, seal, send, turnout, findDifferences, getCode } = await createShop()
    const other = minimal('pages', { name: 'Choir' })
    await importLines('pages', sellerId, [other])
    const otherPage = String(other.id)
    const addGate = (rights: DeviceRight[]) => makeDevice(sellerId, owner, { name: 'Gate 1', rights, pageIds: [otherPage] })
    const [gate, limited] = [await addGate(['offline', 'checkout']), await addGate(['offline'])]
    await send(gate, [await seal(0, 'in', Date.now(), { isOverride: true })])
    const inside = async () => [(await turnout()).inside, (await countTurnout(sellerId, otherPage)).inside]
    expect(await inside()).toEqual([0, 1])
    await waitForClock()
    await send(limited, [await seal(0, 'out', Date.now())])
    expect(await inside()).toEqual([0, 1])
    expect(await scanCodeOnline(gate, getCode(0), 'out')).toBe('checked_out')
    expect(await inside()).toEqual([0, 0])
    expect((await listConflicts(sellerId)).map(({ kind }) => kind).toSorted()).toEqual(['not_permitted', 'other_event'])
    expect(pageId).not.toBe(otherPage)
    expect(await findDifferences()).toEqual([])
  })

  it('may have been found by name, with a ticket for another event', async () => {
    const { sellerId, owner, device, scanCodeOnline, seal, send, findDifferences, getCode, ticketId } = await createShop(1, {
      ticketShortId: 'T8X2',
    })
    const other = minimal('pages', { name: 'Choir' })
    await importLines('pages', sellerId, [other])
    const pageId = String(other.id)
    const gate = await makeDevice(sellerId, owner, { name: 'Gate 1', rights: ['offline', 'search', 'checkout'] })
    const inside = async () => (await countTurnout(sellerId, pageId)).inside
    const enter = async () => send(gate, [await seal(0, 'in', Date.now(), { code: undefined, ticketId, pageId })])
    await enter()
    expect(await inside()).toBe(1)
    await waitForClock()
    expect(await scanCodeOnline(await device('Gate 2'), getCode(0), 'out', newId(), pageId)).toBe('checked_out')
    expect(await inside()).toBe(0)
    await enter()
    await waitForClock()
    expect(await scanCodeOnline(gate, 't8x2', 'out', newId(), pageId)).toBe('checked_out')
    expect(await inside()).toBe(0)
    // No ticket has this ID, so the code is unknown and no exit can match the entry.
    await send(gate, [await seal(0, 'in', Date.now(), { code: undefined, ticketId: 'f'.repeat(24), pageId })])
    expect((await listConflicts(sellerId)).map(({ kind }) => kind).toSorted()).toEqual(['other_event', 'other_event', 'unknown_code'])
    expect(await findDifferences()).toEqual([])
  })

  it('may have been found by name, with a generated ticket that has since been replaced by an imported one', async () => {
    const { sellerId, owner, pageId, device, scanCodeOnline, seal, send, turnout, findDifferences } = await createShop()
    const booking = minimal('bookings', { pageId, tickets: [{ ticketTypeId: 'standing', quantity: 2 }] })
    await importLines('bookings', sellerId, [booking])
    const generated = await readBookingTickets(sellerId, { id: String(booking.id) })
    const [gate, exit] = [await makeDevice(sellerId, owner, { name: 'Gate 1', rights: ['offline', 'search'] }), await device('Exit')]
    const [first, second] = await Promise.all(
      generated.map(({ id }) => seal(0, 'in', Date.now(), { code: undefined, ticketId: id, pageId })),
    )
    await importLines('tickets', sellerId, [minimal('tickets', { pageId, chargeId: booking.id })])
    if (!first || !second) throw new Error('no tickets')
    await send(gate, [first])
    expect(await turnout()).toMatchObject({ inside: 1 })
    await waitForClock()
    const kinds: unknown[] = []
    for (const { code } of generated) kinds.push(await scanCodeOnline(exit, code, 'out'))
    // The second guest's entry is reported after the exit.
    await send(gate, [second])
    expect([kinds, await turnout()]).toMatchObject([['checked_out', 'unknown'], { inside: 0 }])
    expect((await listConflicts(sellerId)).map(({ kind }) => kind)).toEqual(['unknown_code', 'unknown_code'])
    expect(await findDifferences()).toEqual([])
  })

  it.each(['after', 'before'])(
    'can leave with one of the booking’s codes if imported tickets have replaced the generated ones, with an exit %s the entry is reported',
    async (order) => {
      const { sellerId, owner, pageId, device, scanCodeOnline, seal, send, turnout, findDifferences } = await createShop()
      const booking = minimal('bookings', { pageId, tickets: [{ ticketTypeId: 'standing', quantity: 2 }] })
      await importLines('bookings', sellerId, [booking])
      const generated = await readBookingTickets(sellerId, { id: String(booking.id) })
      const [gate, exit] = [await makeDevice(sellerId, owner, { name: 'Gate 1', rights: ['offline', 'search'] }), await device('Exit')]
      const [byName, byCode, other] = [
        await seal(0, 'in', Date.now(), { code: undefined, ticketId: generated[0]?.id, pageId }),
        await seal(0, 'in', Date.now(), { code: generated[1]?.code, pageId }),
        await seal(0, 'in', Date.now(), { code: 'another booking', isOverride: true, pageId }),
      ]
      await waitForClock()
      const imported = ['imported 1', 'imported 2'].map((qrCode) => minimal('tickets', { pageId, qrCode, chargeId: booking.id }))
      await importLines('tickets', sellerId, imported)
      await send(gate, [other])
      if (order === 'after') await send(gate, [byName, byCode])
      await waitForClock()
      const kinds: unknown[] = []
      for (const code of ['imported 1', 'imported 2', ...(order === 'after' ? ['imported 2'] : [])])
        kinds.push(await scanCodeOnline(exit, code, 'out'))
      expect(kinds).toEqual(order === 'after' ? ['checked_out', 'checked_out', 'not_checked_in'] : ['not_checked_in', 'not_checked_in'])
      if (order === 'before') await send(gate, [byName, byCode])
      // Only the guest of the other booking is still inside.
      expect([await turnout(), await findDifferences()]).toMatchObject([{ inside: 1 }, []])
      expect((await listConflicts(sellerId)).map(({ kind }) => kind)).toEqual(['unknown_code', 'unknown_code', 'unknown_code'])
    },
  )

  it.each(['before', 'after'])(
    'leaves with the code of an imported ticket that has replaced a generated one, with an entry reported %s the import',
    async (order) => {
      const { sellerId, pageId, device, scanCodeOnline, seal, send, turnout, findDifferences } = await createShop()
      const booking = minimal('bookings', { pageId, tickets: [{ ticketTypeId: 'standing', quantity: 2 }] })
      await importLines('bookings', sellerId, [booking])
      const [gate, exit] = [await device('Gate 1'), await device('Exit')]
      const codes = ['imported 1', 'imported 2']
      const entries = await Promise.all(codes.map((code) => seal(0, 'in', Date.now(), { code, isOverride: true, pageId })))
      await waitForClock()
      const leave = async () => {
        for (const code of codes) await scanCodeOnline(exit, code, 'out')
      }
      if (order === 'before') await send(gate, entries)
      else await leave()
      await importLines(
        'tickets',
        sellerId,
        codes.map((qrCode) => minimal('tickets', { pageId, qrCode, chargeId: booking.id })),
      )
      if (order === 'before') await leave()
      else await send(gate, entries)
      expect([await turnout(), await findDifferences()]).toMatchObject([{ inside: 0 }, []])
    },
  )

  it('may have a ticket for an event other than the one selected on a device for all events', async () => {
    const { sellerId, device, scanOnline, seal, send, history, turnout, findDifferences } = await createShop()
    const other = minimal('pages', { name: 'Choir' })
    await importLines('pages', sellerId, [other])
    const pageId = String(other.id)
    const [offlineGate, gate] = [await device('Gate 1'), await device('Gate 2')]
    const inside = async () => [(await turnout()).inside, (await countTurnout(sellerId, pageId)).inside]
    await send(offlineGate, [await seal(0, 'in', Date.now(), { isOverride: true, pageId })])
    expect(await inside()).toEqual([0, 1])
    expect((await listConflicts(sellerId)).map(({ kind }) => kind)).toEqual(['other_event'])
    expect(await scanOnline(gate, 0, 'in')).toBe('admitted')
    await waitForClock()
    // The second exit matches no one. As with an online exit, the guest admitted to the ticket's own event stays inside.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await send(offlineGate, [await seal(0, 'out', Date.now(), { decision: 'unknown', pageId })])
      expect(await inside()).toEqual([1, 0])
    }
    expect(await scanOnline(gate, 0, 'out', newId(), pageId)).toBe('other_event')
    // Another late scan makes the server derive the ticket's history again.
    await send(offlineGate, [await seal(0, 'in', Date.now())])
    expect(await history()).toHaveLength(1)
    expect(await inside()).toEqual([2, 0])
    expect(await findDifferences()).toEqual([])
  })
})

it('an exit at a door for all events counts for only one of two guests with the same code, whichever scan is reported first', async () => {
  const orders = [
    ['own', 'exit', 'other'],
    ['other', 'exit', 'own'],
    ['exit', 'own', 'other'],
    ['exit', 'other', 'own'],
  ] as const
  const { sellerId, pageId, device, scanOnline, seal, send, turnout, findDifferences } = await createShop(2 * orders.length)
  const other = minimal('pages', { name: 'Choir' })
  await importLines('pages', sellerId, [other])
  const otherPage = String(other.id)
  const gate = await device('Gate')
  const inside = async () => (await turnout()).inside + (await countTurnout(sellerId, otherPage)).inside
  for (const [index, order] of [...orders, ...orders].entries()) {
    const start = Date.now()
    const entries = {
      own: await seal(index, 'in', start + 10, { pageId }),
      other: await seal(index, 'in', start + 20, { pageId: otherPage, isOverride: true }),
    }
    const exit = index < orders.length ? await seal(index, 'out', start + 30) : undefined
    await waitForClock()
    for (const step of order) {
      if (step !== 'exit') await send(gate, [entries[step]])
      else if (exit) await send(gate, [exit])
      else await scanOnline(gate, index, 'out')
    }
    expect([order, await inside()]).toEqual([order, index + 1])
  }
  expect(await findDifferences()).toEqual([])
})

it('an exit that an earlier one has displaced does not count for a guest of another event', async () => {
  const { sellerId, pageId, device, scanOnline, seal, send, turnout, findDifferences } = await createShop()
  const other = minimal('pages', { name: 'Choir' })
  await importLines('pages', sellerId, [other])
  const otherPage = String(other.id)
  const gate = await device('Gate')
  await scanOnline(gate, 0, 'in', newId(), pageId)
  await waitForClock()
  const late = [await seal(0, 'out', Date.now(), { pageId }), await seal(0, 'in', Date.now() + 10, { pageId: otherPage, isOverride: true })]
  await waitForClock()
  expect(await scanOnline(gate, 0, 'out', newId(), pageId)).toBe('checked_out')
  await send(gate, late)
  expect([(await turnout()).inside, (await countTurnout(sellerId, otherPage)).inside]).toEqual([0, 1])
  expect(await findDifferences()).toEqual([])
})

describe('a guest who was let in by override and whose ticket is found at the exit', () => {
  it('is scanned out once the ticket has been imported, whether online or offline', async () => {
    const { sellerId, pageId, device, scanOnline, scanCodeOnline, seal, send, turnout, findDifferences } = await createShop()
    const [offlineGate, gate] = [await device('Gate 1'), await device('Gate 2')]
    const codes = ['imported later', 'imported later too']
    await send(offlineGate, await Promise.all(codes.map((code) => seal(0, 'in', Date.now(), { code, isOverride: true, pageId }))))
    expect(await turnout()).toMatchObject({ inside: 2 })
    const lines = codes.map((qrCode) => minimal('tickets', { pageId, qrCode }))
    await importLines('tickets', sellerId, lines)
    await waitForClock()
    expect(await scanCodeOnline(gate, codes[0] ?? '', 'out')).toBe('checked_out')
    expect(await turnout()).toMatchObject({ inside: 1 })
    await send(offlineGate, [await seal(0, 'out', Date.now(), { code: codes[1] ?? '' })])
    expect(await turnout()).toMatchObject({ inside: 0 })
    expect(await scanOnline(gate, 0, 'out')).toBe('not_checked_in')
    expect(await turnout()).toMatchObject({ inside: 0 })
    expect(await findDifferences()).toEqual([])
  })

  it.each(['online', 'offline'])(
    'has left if the exit is reported before the ticket is imported, and the entry after it (%s)',
    async (kind) => {
      const { sellerId, pageId, device, scanCodeOnline, seal, send, turnout, findDifferences } = await createShop()
      const gate = await device('Gate 1')
      const code = 'imported later'
      const entry = await seal(0, 'in', Date.now(), { code, isOverride: true, pageId })
      await waitForClock()
      if (kind === 'online') expect(await scanCodeOnline(gate, code, 'out')).toBe('unknown')
      else await send(gate, [await seal(0, 'out', Date.now(), { code, decision: 'unknown' })])
      await importLines('tickets', sellerId, [minimal('tickets', { pageId, qrCode: code })])
      await send(gate, [entry])
      expect(await turnout()).toMatchObject({ attended: 1, inside: 0 })
      expect(await findDifferences()).toEqual([])
    },
  )

  it('is scanned out by a device with access to the ticket’s event', async () => {
    const { sellerId, owner, device, scanOnline, seal, send, turnout, findDifferences } = await createShop()
    const other = minimal('pages', { name: 'Choir' })
    await importLines('pages', sellerId, [other])
    const otherPage = String(other.id)
    const choir = await makeDevice(sellerId, owner, { name: 'Choir', rights: ['offline'], pageIds: [otherPage] })
    await send(choir, [await seal(0, 'in', Date.now(), { isOverride: true })])
    const inside = async () => [(await turnout()).inside, (await countTurnout(sellerId, otherPage)).inside]
    expect(await inside()).toEqual([0, 1])
    await waitForClock()
    expect(await scanOnline(await device('Gate'), 0, 'out')).toBe('checked_out')
    expect(await inside()).toEqual([0, 0])
    expect(await findDifferences()).toEqual([])
  })
})

it('the number of people inside equals a simple count of entries and exits, for random scans reported in random order', async () => {
  const movement = fc.record({
    ticket: fc.nat(2),
    direction: fc.constantFrom('in' as const, 'out' as const),
    gate: fc.nat(2),
    isOnline: fc.boolean(),
  })
  const evening = fc.array(movement, { minLength: 1, maxLength: 14 }).chain((moves) =>
    fc.record({
      moves: fc.constant(moves),
      order: fc.shuffledSubarray([...moves.keys()], { minLength: moves.length }),
      policy: fc.constantFrom('single' as const, 'reentry' as const, 'multiple' as const),
    }),
  )
  await fc.assert(
    fc.asyncProperty(evening, async ({ moves, order, policy }) => {
      const { sellerId, device, scanOnline, seal, send, turnout, findDifferences, history } = await createShop(3)
      await setEntryPolicy(sellerId, policy)
      const gates = await Promise.all(['Gate 1', 'Gate 2', 'Gate 3'].map((name) => device(name)))
      const late: { index: number; gate: (typeof gates)[number]; scan: Awaited<ReturnType<typeof seal>> }[] = []
      const people = [0, 0, 0]
      for (const [index, { ticket, direction, gate: number, isOnline }] of moves.entries()) {
        const gate = gates[number]
        if (!gate) continue
        // Each movement gets a later time on the server's clock.
        await new Promise((resolve) => setTimeout(resolve, 3))
        const kind = isOnline ? await scanOnline(gate, ticket, direction) : undefined
        if (!isOnline) late.push({ index, gate, scan: await seal(ticket, direction, Date.now()) })
        // Guests whom the server refuses stay outside.
        if (kind === 'already_checked_in') continue
        people[ticket] = Math.max(0, (people[ticket] ?? 0) + (direction === 'in' ? 1 : -1))
      }
      await waitForClock()
      for (const { gate, scan } of late.toSorted((a, b) => order.indexOf(a.index) - order.indexOf(b.index))) {
        // Send each scan twice, as if the first response had been lost.
        for (let attempt = 0; attempt < 2; attempt += 1) await send(gate, [scan])
      }
      expect((await turnout()).inside).toBe(people.reduce((sum, count) => sum + count, 0))
      expect(await findDifferences()).toEqual([])
      for (const ticket of [0, 1, 2]) {
        const statuses = (await history(ticket)).map(([status]) => status)
        // Entries and exits alternate.
        if (policy !== 'multiple')
          expect(statuses).toEqual(statuses.map((_, position) => (position % 2 === 0 ? 'CHECKEDIN' : 'UNCHECKEDIN')))
      }
    }),
    { numRuns: 12 },
  )
})
