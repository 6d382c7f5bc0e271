/** The replay of a ticket's facts yields its history, its conflicts and the number of people inside, whatever the order of the facts. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Fact, type FactKind, replayFacts, type TicketRules } from './replay-facts'

const rules: TicketRules = { isInAtStart: false, entryPolicy: 'single', isCanceled: false, canceledAt: undefined }
const fact = (time: number, kind: FactKind, isOffline = true, overrides: Partial<Fact> = {}): Fact => ({
  key: `${time}${kind}`,
  ...{ kind, time, isOffline, actorId: 'Gate 1', isOverride: false, ...overrides },
})

function replay(facts: Fact[], overrides: Partial<TicketRules> = {}) {
  const { entries, conflicts, extraInside } = replayFacts(facts, { ...rules, ...overrides })
  return { entries: entries.map(({ key }) => key), conflicts: Object.fromEntries(conflicts), extraInside }
}

describe('replayFacts', () => {
  it('admits a guest only once with the policy single, even after an exit', () => {
    expect(replay([fact(1, 'in'), fact(2, 'out'), fact(3, 'in')])).toEqual({
      entries: ['1in', '2out'],
      conflicts: { '3in': 'double_entry' },
      extraInside: 1,
    })
  })

  it('admits a guest again after an exit with the policy reentry', () => {
    const facts = [fact(1, 'in'), fact(2, 'out'), fact(3, 'in'), fact(4, 'in')]
    expect(replay(facts, { entryPolicy: 'reentry' })).toEqual({
      entries: ['1in', '2out', '3in'],
      conflicts: { '4in': 'double_entry' },
      extraInside: 1,
    })
  })

  it('lets out the second guest of a double entry without adding an entry', () => {
    expect(replay([fact(1, 'in'), fact(2, 'in'), fact(3, 'out'), fact(4, 'out'), fact(5, 'out')])).toEqual({
      entries: ['1in', '3out'],
      conflicts: { '2in': 'double_entry' },
      extraInside: 0,
    })
  })

  it('matches an exit with an entry that another device reports later', () => {
    expect(replay([fact(2, 'out')])).toEqual({ entries: [], conflicts: {}, extraInside: 0 })
    expect(replay([fact(2, 'out'), fact(1, 'in')])).toEqual({ entries: ['1in', '2out'], conflicts: {}, extraInside: 0 })
  })

  it('keeps the server’s decisions, and leaves a ticket valid after an undo', () => {
    const online = [fact(1, 'in', false), fact(2, 'undo', false), fact(3, 'in', false), fact(4, 'in', false)]
    expect(replay(online).entries).toEqual(['1in', '2undo', '3in', '4in'])
  })

  it('keeps the undo of an exit, after which the guest is inside again', () => {
    const undone = [fact(1, 'in'), fact(2, 'out'), fact(3, 'reinstate', false), fact(4, 'refused')]
    expect(replay(undone)).toEqual({ entries: ['1in', '2out', '3reinstate'], conflicts: {}, extraInside: 0 })
    expect(replay([...undone, fact(2.5, 'in')], { entryPolicy: 'reentry' })).toMatchObject({ conflicts: {}, extraInside: 1 })
  })

  it('lets a guest with a canceled ticket leave', () => {
    expect(replay([fact(1, 'in'), fact(3, 'out')], { isCanceled: true, canceledAt: 2 }).entries).toEqual(['1in', '3out'])
  })

  it('does not report a refusal if the same device let the guest in by override within five minutes', () => {
    const override = fact(9, 'in', true, { isOverride: true })
    expect(replay([fact(1, 'refused'), fact(5, 'refused'), override]).conflicts).toEqual({})
    expect(replay([fact(1, 'in', false), fact(2, 'undo'), override])).toMatchObject({ entries: ['1in', '2undo', '9in'], conflicts: {} })
    for (const entry of [fact(9, 'in'), { ...override, actorId: 'Gate 2' }, { ...override, time: 600_000 }])
      expect(replay([fact(1, 'refused'), entry]).conflicts).toEqual({ '1refused': 'refused_in_error' })
  })

  it('reports the refusal of a guest whom the server admitted', () => {
    expect(replay([fact(1, 'in', false), fact(2, 'undo')])).toMatchObject({ conflicts: { '2undo': 'refused_in_error' } })
  })

  it('reverts only the target of an undo, and omits both if another check-in has taken the place of the target', () => {
    const online = [fact(2, 'in', false), fact(3, 'undo', false, { target: '2in' })]
    expect(replay(online).entries).toEqual(['2in', '3undo'])
    expect(replay([fact(1, 'in'), ...online, fact(4, 'in', false)])).toEqual({
      entries: ['1in'],
      conflicts: { '4in': 'double_entry' },
      extraInside: 1,
    })
    const reentered = [fact(1, 'out'), fact(1.5, 'in'), fact(0, 'in', false), fact(2, 'undo', false, { target: '0in' })]
    expect(replay(reentered, { entryPolicy: 'reentry' })).toEqual({ entries: ['1.5in'], conflicts: {}, extraInside: 0 })
    const canceled = { isCanceled: true, canceledAt: 1 }
    expect(replay([fact(2, 'in'), fact(3, 'undo', false, { target: '2in' })], canceled)).toEqual({
      entries: [],
      conflicts: {},
      extraInside: 0,
    })
  })

  it('reverts the latest entry if an undo has no target', () => {
    expect(replay([fact(1, 'in'), fact(2, 'in', false), fact(3, 'undo', false)])).toEqual({
      entries: ['1in', '3undo'],
      conflicts: { '2in': 'double_entry' },
      extraInside: 1,
    })
  })

  it('reports a refusal that reverts a displaced check-in only if the ticket was still valid', () => {
    const facts = [fact(3, 'in', false), fact(4, 'undo', true, { target: '3in', refusedAt: 1 })]
    for (const [entry, conflicts] of [
      [fact(0, 'in', true, { actorId: 'Gate 2' }), {}],
      [fact(2, 'in', true, { actorId: 'Gate 2' }), { '4undo': 'refused_in_error' }],
      [fact(2, 'in', true, { isOverride: true }), {}],
    ] as const)
      expect(replay([entry, ...facts])).toEqual({ entries: [entry.key], conflicts, extraInside: 0 })
  })

  it('does not depend on the order of the facts', () => {
    const facts = fc.uniqueArray(
      fc.record({
        time: fc.integer({ min: 0, max: 9 }),
        kind: fc.constantFrom<FactKind[]>('in', 'out', 'undo', 'reinstate', 'refused'),
        isOffline: fc.boolean(),
        actorId: fc.constantFrom('Gate 1', 'Gate 2'),
        isOverride: fc.boolean(),
        key: fc.constantFrom(...'abcdefghijklmnop'),
        target: fc.option(fc.constantFrom(...'abcdefghijklmnop'), { nil: undefined }),
      }),
      { selector: ({ key }) => key, maxLength: 12 },
    )
    const policy = fc.constantFrom<TicketRules['entryPolicy'][]>('single', 'reentry', 'multiple')
    const shuffled = facts.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })))
    fc.assert(
      fc.property(shuffled, policy, fc.boolean(), ([original, reordered], entryPolicy, isInAtStart) => {
        expect(replay(reordered, { entryPolicy, isInAtStart })).toEqual(replay(original, { entryPolicy, isInAtStart }))
      }),
    )
  })
})
