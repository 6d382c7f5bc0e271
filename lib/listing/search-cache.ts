/** Totals of searches that were counted before, each with the number of changes it was counted at; the least used go first. */

export type Remembered = {
  /** `changesOf` in the snapshot that was counted in: where it is another one now, nothing here holds. */
  changes: string
  total: number
  /** The ids of all matches, newest first, where they are few. */
  ids?: readonly string[]
}

/** With `MOST_IDS` of 24 characters each, at most some 20 MB. */
const MOST = 1_000
export const MOST_IDS = 500

/** A memory of so many of the things that were counted at great cost. */
function createMemory<Kept extends { changes: string }>() {
  const kept = new Map<string, Kept>()
  return {
    recall(key: string): Kept | undefined {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found
    },
    remember(key: string, counted: Kept): void {
      kept.delete(key)
      kept.set(key, counted)
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST) return
        kept.delete(oldest)
      }
    },
  }
}

export const { recall: recallSearch, remember: rememberSearch } = createMemory<Remembered>()

/** How many matches of a search each status has. */
export type RememberedStatuses = { changes: string; counts: Record<string, number> }

export const { recall: recallStatuses, remember: rememberStatuses } = createMemory<RememberedStatuses>()
