/** Tracks how this device's scans change the counts, from when a scan is stored until the server's counts include it. */
import type { CountChange } from './count-changes'
import type { DoorStore } from './store'

export type CountChangeTracker = {
  /** Returns the changes by unsent scans, by scan ID. While scans are being sent, the server may have already recorded some of them. */
  read(): Promise<ReadonlyMap<string, CountChange>>
  /** Adds the change by a scan that has just been stored. */
  add(id: string, change: CountChange): void
  /** Call before scans are sent. */
  begin(): Promise<void>
  /** Call after scans were sent. */
  finish(): Promise<void>
  /** Returns whether scans that change the counts are being sent. */
  isSending(): boolean
  /** Returns the changes by scans that the server has recorded since `forgetDelivered`. */
  delivered(): readonly CountChange[]
  /** Call when counts arrive that the server has sent after `finish`. */
  forgetDelivered(): void
}

export function createCountChangeTracker(store: Pick<DoorStore, 'countChanges'>): CountChangeTracker {
  /** Read once per update, because the queue can be long. */
  let unsent: Promise<ReadonlyMap<string, CountChange>> | undefined
  /** The changes as of the last successful read since `finish`. */
  let known: ReadonlyMap<string, CountChange> | undefined
  let delivered: CountChange[] = []
  let isSending = false

  /**
   * Stores a read. If it fails, because browsers can lose the connection to the database, the changes that are already known are kept, so
   * that they can still be delivered. Without any, the next read tries again.
   */
  function keepUnsent(reading: Promise<ReadonlyMap<string, CountChange>>): Promise<ReadonlyMap<string, CountChange>> {
    unsent = reading
    reading.then(
      (changes) => {
        if (unsent === reading) known = changes
      },
      () => {
        if (unsent === reading) unsent = known && Promise.resolve(known)
      },
    )
    return reading
  }

  /**
   * Adds the changes that are no longer stored to `delivered`, because this tab or another one has sent their scans.
   *
   * @returns the changes that are still stored
   */
  async function moveDelivered(before: ReadonlyMap<string, CountChange>): Promise<ReadonlyMap<string, CountChange>> {
    const after = await store.countChanges()
    delivered = [...delivered, ...[...before].flatMap(([id, change]) => (after.has(id) ? [] : [change]))]
    return after
  }

  return {
    read: () => unsent ?? keepUnsent(store.countChanges()),
    add(id, change) {
      if (known) known = new Map(known).set(id, change)
      if (unsent) void keepUnsent(unsent.then((before) => new Map(before).set(id, change)))
    },
    async begin() {
      isSending = (await keepUnsent(moveDelivered((await unsent) ?? new Map()))).size > 0
    },
    async finish() {
      await moveDelivered((await unsent) ?? new Map())
      // A scan could have been stored in the meantime, so the store is read again.
      unsent = undefined
      known = undefined
      isSending = false
    },
    isSending: () => isSending,
    delivered: () => delivered,
    forgetDelivered() {
      delivered = []
    },
  }
}
