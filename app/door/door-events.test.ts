/** The events to choose from, and the only one with tickets. */
import { describe, expect, it } from 'vitest'
import { type DoorEvent, findOnlyEvent, listChoices } from './door-events'

const now = new Date('2026-07-10T18:00:00Z')

function makeEvent(id: string, sold: number, startsAt: string | null = null, endsAt: string | null = null): DoorEvent {
  return { id, name: id, startsAt, endsAt, capacity: null, attended: 0, inside: 0, sold }
}

describe('the events to choose from', () => {
  const events = [
    makeEvent('undated', 1),
    makeEvent('past', 1, '2026-07-01T18:00:00Z'),
    makeEvent('no tickets', 0),
    makeEvent('upcoming', 1, '2026-07-12T18:00:00Z'),
    makeEvent('today', 1, '2026-07-10T20:00:00Z'),
  ]
  const list = (pageId: string, listed = events, allowsAll = true) =>
    listChoices(listed, { timeZone: 'UTC', allowsAll, pageId }, now).map(({ id }) => id)

  it('have tickets, and are sorted by date', () => {
    expect(list('')).toEqual(['today', 'upcoming', 'past', 'undated'])
  })

  it('begin with the one that is about to start, and end with those that are over', () => {
    const today = [
      makeEvent('after the concert', 1, '2026-07-10T22:00:00Z'),
      makeEvent('brunch', 1, '2026-07-10T09:00:00Z', '2026-07-10T12:00:00Z'),
      makeEvent('concert', 1, '2026-07-10T18:30:00Z'),
      makeEvent('exhibition', 1, '2026-07-01T09:00:00Z', '2026-07-31T18:00:00Z'),
      makeEvent('tomorrow', 1, '2026-07-11T10:00:00Z'),
    ]
    expect(list('', today)).toEqual(['concert', 'after the concert', 'exhibition', 'tomorrow', 'brunch'])
  })

  it('include the selected one, even if it has no tickets', () => {
    expect(list('no tickets')).toEqual(['today', 'upcoming', 'past', 'no tickets', 'undated'])
  })

  it('include every event of a limited device', () => {
    expect(list('past', events, false)).toEqual(['today', 'upcoming', 'past', 'no tickets', 'undated'])
  })
})

it.each([
  [[1, 0], 1, 'event 0'],
  [[0, 0], 0, undefined],
  [[1, 2], 3, undefined],
  // Another ticket has no event.
  [[1, 0], 2, undefined],
])('with %j paid tickets per event and %i in total, returns %j', (counts, sold, expected) => {
  const events = counts.map((count, index) => makeEvent(`event ${index}`, count))
  expect(findOnlyEvent(events, sold)?.id).toBe(expected)
})
