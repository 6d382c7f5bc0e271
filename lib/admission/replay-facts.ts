/** Derives a ticket's history from everything that happened at the doors. A pure function of the set of facts, so the order of arrival is irrelevant. */
import type { CheckIn } from '../catalog/ticket'

/** `in` and `out` were made at a door; `refused` is a guest whom a device did not let in. */
export type FactKind = 'in' | 'out' | 'refused'

export type Fact = {
  /** Unique per ticket, and the same whenever the facts are read. */
  key: string
  kind: FactKind
  /** Milliseconds since 1970 on the server's clock; `-Infinity` if only the day is known. */
  time: number
  /** Whether a device made it without the server. The server’s own check-ins were valid when they were made. */
  isOffline: boolean
}

export type Conflict = 'double_entry' | 'canceled' | 'refused_in_error'

export type TicketRules = {
  /** Whether the guest is in before the first fact: a ticket can be imported as checked in without a history. */
  startsIn: boolean
  entryPolicy: string
  isCanceled: boolean
  /** Milliseconds since 1970; undefined if unknown. */
  canceledAt: number | undefined
}

export type Replay<F extends Fact> = {
  /** The entries of the history, oldest first. */
  entries: F[]
  /** The conflicts by the keys of their facts. */
  conflicts: Map<string, Conflict>
}

const compareKeys = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/**
 * Replays the facts by time. Of two entries without an exit between them, the earlier one is the check-in, and the later one a conflict, unless
 * the server made both: its policy allowed that.
 */
export function replayFacts<F extends Fact>(
  facts: readonly F[],
  { startsIn, entryPolicy, isCanceled, canceledAt }: TicketRules,
): Replay<F> {
  const ordered = facts.toSorted((a, b) => (a.time === b.time ? compareKeys(a.key, b.key) : a.time - b.time))
  const entries: F[] = []
  const conflicts = new Map<string, Conflict>()
  let isIn = startsIn
  /** The entry by which the guest is in; undefined if it is not among the facts. */
  let inside: F | undefined
  for (const fact of ordered) {
    const wasCanceled = isCanceled && fact.time >= (canceledAt ?? Number.NEGATIVE_INFINITY)
    const mayEnter = !wasCanceled && (!isIn || entryPolicy === 'multiple')
    if (fact.kind === 'refused') {
      if (mayEnter) conflicts.set(fact.key, 'refused_in_error')
    } else if (fact.kind === 'out') {
      entries.push(fact)
      isIn = false
      inside = undefined
    } else if (fact.isOffline && wasCanceled) conflicts.set(fact.key, 'canceled')
    else if (isIn && entryPolicy !== 'multiple' && (fact.isOffline || inside?.isOffline)) conflicts.set(fact.key, 'double_entry')
    else {
      entries.push(fact)
      isIn = true
      inside = fact
    }
  }
  return { entries, conflicts }
}

/** Returns the index of the entry that is the ticket's current check-in: the first one since the last exit; -1 if the guest is not in. */
export function indexOfStanding(statuses: readonly CheckIn['status'][]): number {
  const first = statuses.lastIndexOf('UNCHECKEDIN') + 1
  return first < statuses.length ? first : -1
}
