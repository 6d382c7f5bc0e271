/**
 * Derives a ticket's history from everything that happened at the doors. The result is a pure function of the set of facts, so the order of
 * arrival is irrelevant.
 */
import type { EntryPolicy } from '../catalog/pages'
import type { CheckIn } from '../catalog/ticket'

/**
 * `in` and `out` are an entry and an exit at a door, `undo` and `reinstate` are the undo of an entry and of an exit by staff, and `refused`
 * is a scan of a guest whom a device did not let in. If the server admitted that guest, the fact is an offline `undo` instead.
 */
export type FactKind = 'in' | 'out' | 'undo' | 'reinstate' | 'refused'

/** Something that happened to a ticket at a door or in the dashboard: an entry, an exit, an undo, or a refused scan. */
export type Fact = {
  /** Unique per ticket, and the same each time the facts are read. */
  key: string
  kind: FactKind
  /** Milliseconds since 1970 on the server's clock; `-Infinity` if only the day is known. */
  time: number
  /**
   * Whether the decision was made on a device, which may not have had all earlier facts. The server's own decisions were valid when they
   * were made.
   */
  isOffline: boolean
  /** Who made the scan or the change; null if unknown. */
  actorId: string | null
  /** Whether staff let the guest in although the code was not on the device's list. */
  isOverride: boolean
  /** For the undo of an entry: the key of that entry. Absent if it is not known, in which case the undo reverts the latest entry. */
  target?: string | undefined
  /** For an offline undo: when the device refused the guest, in the same unit as `time`. */
  refusedAt?: number | undefined
}

/**
 * How long after a refusal an override on the same device is assumed to be for the same guest, in milliseconds. This leaves staff time to
 * scan the ticket again first.
 */
const OVERRIDE_MS = 5 * 60_000

export type Conflict = 'double_entry' | 'canceled' | 'refused_in_error'

export type TicketRules = {
  /** Whether the guest is inside before the first fact: a ticket can be imported as checked in without a history. */
  isInAtStart: boolean
  entryPolicy: EntryPolicy
  isCanceled: boolean
  /** Milliseconds since 1970; undefined if unknown. */
  canceledAt: number | undefined
}

export type Replay<F extends Fact> = {
  /** The entries of the history, oldest first. */
  entries: F[]
  /** The conflicts by the keys of their facts. */
  conflicts: Map<string, Conflict>
  /** The number of people inside in addition to the checked-in guest: with copies of the ticket, or with the policy `multiple`. */
  extraInside: number
  /** The keys of the exits that let someone out. */
  usedExits: Set<string>
}

const compareKeys = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const sortFacts = <F extends Fact>(facts: readonly F[]) =>
  facts.toSorted((a, b) => (a.time === b.time ? compareKeys(a.key, b.key) : a.time - b.time))

/** Returns a predicate for whether a device let a guest in by override after it had refused that guest. */
function createOverrideFinder(facts: readonly Fact[]) {
  const overrides = facts.filter(({ kind, isOverride }) => kind === 'in' && isOverride)
  return ({ actorId, time, refusedAt = time }: Fact) =>
    overrides.some((entry) => entry.actorId === actorId && entry.time >= refusedAt && entry.time <= refusedAt + OVERRIDE_MS)
}

/**
 * Replays the facts in chronological order. A check-in that the entry policy does not allow is a conflict, unless the server made both that
 * check-in and the latest entry, in which case the policy must have allowed it at the time. An offline check-in after the ticket was
 * canceled is also a conflict. Each of these conflicts adds one extra person, as does a check-in while the guest is already inside. An exit
 * while the ticket is not checked in removes one extra person, if there is one. Such an exit is added to the history only if it removes
 * someone with the policy `multiple`, or if the server made both the exit and the latest entry. A check-in that staff have undone does not
 * turn a later one into a conflict. A refusal is a conflict if the ticket was still valid, unless the same device then let the guest in by
 * override.
 *
 * An undo reverts only its own target. If another check-in has taken the target's place, neither the target nor the undo counts, and
 * neither is in the history: the other check-in remains, and the person whose check-in was undone is not inside.
 */
export function replayFacts<F extends Fact>(facts: readonly F[], rules: TicketRules): Replay<F> {
  const wasLetIn = createOverrideFinder(facts)
  let ordered = sortFacts(facts)
  for (;;) {
    const { replay, displaced } = replayOnce(ordered, rules, wasLetIn)
    if (!displaced) return replay
    const { key, target, isOffline, refusedAt, time } = displaced
    const remaining = ordered.filter((fact) => fact.key !== key && fact.key !== target)
    // The device did refuse the guest, correctly or not.
    ordered = isOffline ? sortFacts([...remaining, { ...displaced, kind: 'refused', time: refusedAt ?? time }]) : remaining
  }
}

/**
 * Replays ordered facts. Stops at the first undo whose target is not the check-in that it would revert, and returns that undo as
 * `displaced`.
 */
function replayOnce<F extends Fact>(
  ordered: readonly F[],
  { isInAtStart, entryPolicy, isCanceled, canceledAt }: TicketRules,
  wasLetIn: (refusal: F) => boolean,
): { replay: Replay<F>; displaced?: F | undefined } {
  const entries: F[] = []
  const conflicts = new Map<string, Conflict>()
  let isIn = isInAtStart
  /** Whether the latest entry is an exit by scan, after which the policy `single` refuses the ticket. */
  let hasLeft = false
  let extraInside = 0
  const usedExits = new Set<string>()
  /** The latest entry of the history; undefined if it is not among the facts. */
  let latest: F | undefined
  let latestCheckIn: F | undefined
  const append = (fact: F, isInAfter: boolean) => {
    entries.push(fact)
    isIn = isInAfter
    hasLeft = fact.kind === 'out'
    latest = fact
    if (fact.kind === 'in') latestCheckIn = fact
  }
  const replay = () => ({ entries, conflicts, extraInside, usedExits })
  const isDisplaced = ({ target }: F) =>
    target !== undefined && (conflicts.has(target) || (entryPolicy !== 'multiple' && target !== latestCheckIn?.key))
  for (const fact of ordered) {
    const wasCanceled = isCanceled && fact.time >= (canceledAt ?? Number.NEGATIVE_INFINITY)
    const isUsed = entryPolicy !== 'multiple' && (isIn || (hasLeft && entryPolicy === 'single'))
    const isUncertain = fact.isOffline || latest?.isOffline === true
    if (fact.kind === 'refused') {
      if (!wasCanceled && !isUsed && !wasLetIn(fact)) conflicts.set(fact.key, 'refused_in_error')
    } else if (fact.kind === 'undo') {
      if (isDisplaced(fact)) return { replay: replay(), displaced: fact }
      if (fact.isOffline && !wasLetIn(fact)) conflicts.set(fact.key, 'refused_in_error')
      if (!isIn && entryPolicy === 'multiple') extraInside = Math.max(0, extraInside - 1)
      append(fact, false)
    } else if (fact.kind === 'reinstate') {
      // Someone else has entered since the exit that is being undone.
      if (isIn) extraInside += 1
      append(fact, true)
    } else if (fact.kind === 'out') {
      const isExtraGuest = !isIn && extraInside > 0
      if (isExtraGuest) extraInside -= 1
      if (isIn || isExtraGuest || !isUncertain) usedExits.add(fact.key)
      if (isIn || !isUncertain || (isExtraGuest && entryPolicy === 'multiple')) append(fact, false)
    } else if ((fact.isOffline && wasCanceled) || (isUsed && isUncertain)) {
      conflicts.set(fact.key, fact.isOffline && wasCanceled ? 'canceled' : 'double_entry')
      extraInside += 1
    } else {
      if (isIn) extraInside += 1
      append(fact, true)
    }
  }
  return { replay: replay() }
}

/** Returns the index of the entry that is the ticket's current check-in: the first one since the last exit; -1 if the guest is not in. */
export function indexOfCurrentCheckIn(statuses: readonly CheckIn['status'][]): number {
  const first = statuses.lastIndexOf('UNCHECKEDIN') + 1
  return first < statuses.length ? first : -1
}
