/** A device adds its own check-ins to the counts that it shows, but not if the server's counts may include them. */
import { describe, expect, it } from 'vitest'
import type { TicketDetails } from '@/lib/admission/ticket-details'
import type { Turnout } from '@/lib/admission/turnout'
import { addEntry, createEntryCounter } from './entry-counter'

const toTurnout = (attended: number) =>
  ({
    ...{ attended, inside: attended, sold: 9 },
    types: [
      { id: 'day', name: 'Day', sold: 5, attended, inside: attended },
      { id: 'night', name: 'Night', sold: 4, attended: 0, inside: 0 },
    ],
  }) as unknown as Turnout
const entered = { didCheckIn: true, replayed: false }

/** Returns a ticket whose history has these entries. */
const makeTicket = (typeId: string, ...entries: ['CHECKEDIN' | 'UNCHECKEDIN', 'QRSCAN' | 'MANUAL'][]) =>
  ({ guest: { typeId }, history: entries.map(([status, method]) => ({ status, method })) }) as TicketDetails
const newGuest = makeTicket('day', ['CHECKEDIN', 'QRSCAN'])

/** Simulates a device that shows counts. @returns functions that receive counts and send a scan */
function openDoor() {
  const entries = createEntryCounter()
  let counts = toTurnout(0)
  return {
    receive(attended: number) {
      entries.receive()
      counts = toTurnout(attended)
    },
    send() {
      const isMissing = entries.begin()
      return (response: typeof entered) => {
        if (isMissing(response)) counts = addEntry(counts, newGuest)
        return counts.attended
      }
    },
  }
}

describe('a check-in', () => {
  it('is counted immediately', () => {
    const door = openDoor()
    door.receive(3)
    const respond = door.send()
    expect(respond(entered)).toBe(4)
  })

  it('is counted once if the server sends its counts before the response', () => {
    const door = openDoor()
    const respond = door.send()
    door.receive(1)
    expect(respond(entered)).toBe(1)
  })

  it('is counted once even if an undo at another door offsets it in the server’s counts', () => {
    const door = openDoor()
    door.receive(3)
    const respond = door.send()
    door.receive(3)
    expect(respond(entered)).toBe(3)
  })

  it('is counted once if its scan is repeated', () => {
    const door = openDoor()
    door.receive(1)
    const respond = door.send()
    expect(respond({ didCheckIn: true, replayed: true })).toBe(1)
  })

  it('is counted in addition to a concurrent check-in', () => {
    const door = openDoor()
    const [first, second] = [door.send(), door.send()]
    first(entered)
    expect(second(entered)).toBe(2)
  })

  it('is not counted if the guest was not admitted', () => {
    const respond = openDoor().send()
    expect(respond({ didCheckIn: false, replayed: false })).toBe(0)
  })
})

describe('addEntry', () => {
  it('adds a guest to the total and to the ticket type', () => {
    expect(addEntry(toTurnout(2), makeTicket('night', ['CHECKEDIN', 'MANUAL']))).toMatchObject({
      ...{ attended: 3, inside: 3, sold: 9 },
      types: [
        { id: 'day', attended: 2, inside: 2 },
        { id: 'night', attended: 1, inside: 1 },
      ],
    })
  })

  it('does not count a guest who returns after a check-out as attended again', () => {
    const returning = makeTicket('day', ['CHECKEDIN', 'QRSCAN'], ['UNCHECKEDIN', 'QRSCAN'], ['CHECKEDIN', 'QRSCAN'])
    expect(addEntry(toTurnout(2), returning)).toMatchObject({
      ...{ attended: 2, inside: 3 },
      types: [{ attended: 2, inside: 3 }, { attended: 0 }],
    })
  })

  it('counts a guest as having attended if they are checked in again after an undo', () => {
    const undone = makeTicket('day', ['CHECKEDIN', 'QRSCAN'], ['UNCHECKEDIN', 'MANUAL'], ['CHECKEDIN', 'QRSCAN'])
    expect(addEntry(toTurnout(2), undone)).toMatchObject({ attended: 3, inside: 3 })
  })
})
