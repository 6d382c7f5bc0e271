/** Tracks how this device's scans change the counts, from when a scan is stored until the server's counts include it. */
import type { Move } from './moves'
import type { DoorStore } from './store'

export type MoveTracker = {
  /** Returns the moves of unsent scans, by scan ID. While scans are being sent, the server may have already recorded some of them. */
  read(): Promise<ReadonlyMap<string, Move>>
  /** Adds the move of a scan that has just been stored. */
  add(id: string, move: Move): void
  /** Call before scans are sent. */
  begin(): Promise<void>
  /** Call after scans were sent. */
  finish(): Promise<void>
  /** Whether scans that change the counts are being sent. */
  isSending(): boolean
  /** Returns the moves of scans that the server has recorded since `forgetDelivered`. */
  delivered(): readonly Move[]
  /** Call when the server sends counts after `finish`. */
  forgetDelivered(): void
}

export function createMoveTracker(store: Pick<DoorStore, 'moves'>): MoveTracker {
  /** Read once per update, because the queue can be long. */
  let unsent: Promise<ReadonlyMap<string, Move>> | undefined
  let delivered: Move[] = []
  let isSending = false

  /** Adds the moves that are no longer stored to `delivered`, because this tab or another one has sent them. @returns the stored moves */
  async function compare(before: ReadonlyMap<string, Move>): Promise<ReadonlyMap<string, Move>> {
    const after = await store.moves()
    delivered = [...delivered, ...[...before].flatMap(([id, move]) => (after.has(id) ? [] : [move]))]
    return after
  }

  return {
    read() {
      unsent ??= store.moves()
      return unsent
    },
    add(id, move) {
      unsent = unsent?.then((before) => new Map(before).set(id, move))
    },
    async begin() {
      unsent = compare((await unsent) ?? new Map())
      isSending = (await unsent).size > 0
    },
    async finish() {
      await compare((await unsent) ?? new Map())
      // A scan could have been stored in the meantime, so the store is read again.
      unsent = undefined
      isSending = false
    },
    isSending: () => isSending,
    delivered: () => delivered,
    forgetDelivered() {
      delivered = []
    },
  }
}
