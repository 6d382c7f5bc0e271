/** Tracks how this device's scans change the counts, from when a scan is stored until the server's counts include it. */
import type { CountChange } from './count-changes'
import type { DoorStore } from './store'

export type CountChangeTracker = {
  /** Returns the changes made by unsent scans, by scan ID. While scans are being sent, the server may have recorded some already. */
  read(): Promise<ReadonlyMap<string, CountChange>>
  /** Adds the change made by a scan that has just been stored. */
  add(id: string, change: CountChange): void
  /** Call it before scans are sent. */
  begin(): Promise<void>
  /** Call it after scans were sent. */
  finish(): Promise<void>
  /** Returns whether scans that change the counts are being sent. */
  isSending(): boolean
  /** Returns the changes made by scans that the server has recorded since the last call to `forgetDelivered`. */
  delivered(): readonly CountChange[]
  /** Call it after receiving counts that the server sent after `finish`. */
  forgetDelivered(): void
}

export function createCountChangeTracker(store: Pick<DoorStore, 'countChanges'>): CountChangeTracker {
  /** Read once per update, because the queue may be long. */
  let unsent: Promise<ReadonlyMap<string, CountChange>> | undefined
  /** The changes as of the last successful read since `finish`. */
  let known: ReadonlyMap<string, CountChange> | undefined
  let delivered: CountChange[] = []
  let isSending = false

  /**
   * Keeps the result of a read. Browsers may lose the connection to the database. If a read fails, the changes that are already known are
   * kept, so that they can still become `delivered`. If none are known, the next call reads them again.
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
      // A scan may have been stored in the meantime, so the store is read again.
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
