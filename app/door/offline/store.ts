/**
 * Stores a check-in device's data in IndexedDB: its sealed ticket list, its unsent scans, and which guests it has let in or out. No code or
 * name is stored in plain text.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { ScanSource } from '@/lib/admission/scan-source'
import type { ListEntry, TicketListPage } from '@/lib/admission/sealed-ticket'
import type { CheckIn } from '@/lib/catalog/ticket'
import { getPageSellerId } from '../page-seller'
import type { CountChange } from './count-changes'
import { fromBase64 } from './unseal'

const NAME = 'checkout-desk-door'
const VERSION = 1

/** The list, apart from its entries. */
export type ListState = Pick<TicketListPage, 'cursor' | 'indexKey' | 'scanKey' | 'signedDeviceId' | 'timeZone' | 'events'> & {
  /** The seller of the page that loaded the list. Absent from lists stored by an earlier version of the page. */
  sellerId?: string
  /** Whether all tickets have been loaded. */
  isComplete: boolean
  /** The number of tickets that the server has not been able to send yet. Absent from lists stored by an earlier version of the page. */
  waiting?: number
  /** Whether more pages of the same update follow. */
  hasMore?: boolean
  /** When the list was last up to date, in milliseconds since 1970 on the server's clock; 0 before the first complete update. */
  updatedAt: number
  /** How far this device's clock is ahead of the server's, in milliseconds. */
  clockOffset: number
}

/**
 * An entry in the list. `ref` is derived from the ticket's ID, and `index` from its code. `sealed` is the encrypted ticket. `name` is
 * encrypted with the device's search key; it is absent if the guest cannot be found by name.
 */
type StoredEntry = { ref: string; index: string; sealed: Uint8Array<ArrayBuffer>; name?: Uint8Array<ArrayBuffer> }

/**
 * A scan that the server has not recorded, encrypted for the server. `signedDeviceId` identifies the device that made the scan, because the
 * browser may have been set up as a different device since. It is absent if the list contained no signed ID. `move` is how the scan changes
 * the counts, if at all. `heldSince` is set while the scan is held back, in milliseconds since 1970 on this device's clock. Scans are sent
 * in the order of `at`, a time on the server's clock; it is absent from scans that an earlier version of the page has stored.
 */
export type QueuedScan = { id: string; sealed: string; signedDeviceId?: string; move?: CountChange; heldSince?: number; at?: number }

/** The last entry or exit of a guest, if this device made it, or the server has reported it in response to a scan. */
export type EnteredTicket = {
  /** The index of the ticket's code. */
  index: string
  /** The ticket's reference in the list; absent if the ticket is not known, and from entries stored by an earlier version of the page. */
  ref?: string | undefined
  /** Whether the guest has left. */
  hasLeft?: boolean
  /** `MANUAL` for an undo or a manual check-in; absent for a scan. */
  method?: CheckIn['method']
  source?: ScanSource | undefined
  /** Milliseconds since 1970 on the server's clock. */
  at: number
  /** The nonce of the ticket's entry in the list at that time; absent if it was not listed, or `at` is from the server. */
  nonce?: string | undefined
}

/** The tickets with entries or exits that this device has not reported yet: their code indexes, and their references in the list. */
export type UnsentTickets = { indexes: ReadonlySet<string>; refs: ReadonlySet<string> }

/** A condition for storing an entry: see `saveEntry`. */
export type SaveCondition = 'held' | { lastEnteredAt: number | undefined }

interface DoorDatabase extends DBSchema {
  state: { key: 'list'; value: ListState }
  tickets: { key: string; value: StoredEntry; indexes: { index: string } }
  queue: { key: string; value: QueuedScan }
  entered: { key: string; value: EnteredTicket }
}

export type DoorStore = {
  /** Returns the list, or undefined if there is none, or if another tab has loaded the list of another seller. */
  state(): Promise<ListState | undefined>
  countTickets(): Promise<number>
  /** Returns the number of unsent scans, including those that are held back. */
  countQueue(): Promise<number>
  find(index: string): Promise<StoredEntry | undefined>
  findByRef(ref: string): Promise<StoredEntry | undefined>
  /** Returns entries in the order of their references. @param after returns only entries after this reference; empty for the start */
  entries(after: string, limit: number): Promise<StoredEntry[]>
  entered(index: string): Promise<EnteredTicket | undefined>
  /**
   * Stores a page of the list and the list's state in one transaction, so that an interrupted update continues where it stopped.
   *
   * @param cursor the cursor with which the page was requested
   * @returns false, and stores nothing, if the list from `state` has another cursor, for example because it was deleted in the meantime
   */
  savePage(page: TicketListPage, state: ListState, cursor: string | undefined): Promise<boolean>
  /**
   * Stores a guest's entry or exit, and the scan that still has to be sent, if any. Replaces a held-back scan with the same ID.
   * Resolves once both are on disk. If it times out, nothing is stored.
   *
   * @param condition what must be true for anything to be stored: there is a scan to replace (`held`), or the last stored entry or exit was
   *   at `lastEnteredAt`
   * @returns whether they were stored
   */
  saveEntry(entered: EnteredTicket | undefined, scan: QueuedScan | undefined, condition?: SaveCondition): Promise<boolean>
  /** Deletes a scan that is held back, because the server has responded to it. */
  dropHeld(id: string): Promise<void>
  /** Queues held-back scans for sending. @param isDue takes `heldSince`, and returns whether to send the scan */
  releaseHeld(isDue: (heldSince: number) => boolean): Promise<void>
  /** Returns the oldest unsent scans that are not held back. @param skip how many of them to skip */
  queued(limit: number, skip?: number): Promise<QueuedScan[]>
  /** Deletes scans that the server has recorded. */
  removeQueued(ids: readonly string[]): Promise<void>
  /**
   * Returns the code indexes and the ticket references of the unsent scans that let a guest in or out. Omits what earlier versions of the
   * page did not store.
   */
  unsent(): Promise<UnsentTickets>
  /** Returns how the unsent scans change the counts, by scan ID. */
  countChanges(): Promise<Map<string, CountChange>>
  /** Returns the entries and exits that the server has recorded: those without an unsent scan. */
  recorded(): Promise<EnteredTicket[]>
  /** Forgets entries and exits, except those that have been replaced since. Call it once the list includes them. */
  forgetEntered(entered: readonly EnteredTicket[]): Promise<void>
  /**
   * Returns those of the given code indexes whose tickets may still be missing from the list. Returns none of them if the server has sent
   * all tickets.
   */
  findMissing(indexes: readonly string[]): Promise<Set<string>>
  /** Removes the device's signed ID from the list. Scans made before the next update do not contain it. */
  forgetDevice(): Promise<void>
  /** Deletes the list, but not the unsent scans or their entries and exits, so that copies of their tickets are still refused. */
  wipeList(): Promise<void>
}

/** The names of the errors that a closed or lost connection causes. */
const LOST_CONNECTION = ['InvalidStateError', 'UnknownError', 'TimeoutError']

/** How long to wait for the database, in milliseconds. After a timeout, the shorter limit applies until the database responds again. */
const TIMEOUT_MS = 3_000
const TIMEOUT_AGAIN_MS = 500

/**
 * Returns the key of a queued scan. The queue is read in the order of its keys, so the time comes first. The key of a scan that let a guest
 * in or out includes the code's index and the ticket's reference, because reading the keys of a long queue is fast, but reading its scans
 * is not. The list may no longer contain the ticket by the time the scan is sent.
 */
const queueKey = (time: number, id: string, { index, ref }: Partial<EnteredTicket> = {}) =>
  [String(time).padStart(16, '0'), id, index, ref].filter((part) => part !== undefined).join(' ')

/** Returns the tickets in the keys of a queue. */
function toUnsentTickets(queueKeys: readonly string[]): UnsentTickets {
  const parts = queueKeys.map((key) => key.split(' '))
  return { indexes: new Set(parts.flatMap(([, , index = []]) => index)), refs: new Set(parts.flatMap(([, , , ref = []]) => ref)) }
}

/** The time limit for a callback. */
type Limit = {
  /** Whether the callback has timed out. */
  isOver: boolean
  /** Stops the callback after a timeout. Returns false if it can no longer be stopped, in which case its result is awaited. */
  stop(): boolean
}

/** Returns the key of a held-back scan. It sorts after the keys of the scans that can be sent. */
const heldKey = (id: string) => `held ${id}`
const FIRST_HELD_KEY = heldKey('')

/** Converts a list entry for storage. For a ticket that is no longer on the list or not ready yet, returns only its reference. */
const toStoredEntry = ([ref, index, sealed, name]: ListEntry) =>
  index === undefined || sealed === undefined ? ref : { ref, index, sealed: fromBase64(sealed), ...(name && { name: fromBase64(name) }) }

/** Returns the stored list if it may be used on this page, which is not the case if it belongs to another seller. */
function toPageList(list: ListState | undefined): ListState | undefined {
  const sellerId = getPageSellerId()
  return list?.sellerId === undefined || sellerId === undefined || list.sellerId === sellerId ? list : undefined
}

/** Opens the store. @param name a name other than the default, for tests */
export async function openStore(name = NAME): Promise<DoorStore> {
  const open = async () =>
    openDB<DoorDatabase>(name, VERSION, {
      upgrade(upgraded) {
        upgraded.createObjectStore('state')
        upgraded.createObjectStore('tickets', { keyPath: 'ref' }).createIndex('index', 'index')
        upgraded.createObjectStore('queue')
        upgraded.createObjectStore('entered', { keyPath: 'index' })
      },
      // Another tab needs a newer version of the database and must not wait for this tab.
      blocking: (_, __, event) => (event.target as IDBDatabase).close(),
    })
  /** Undefined if the connection was lost, so that the next call opens another one. */
  let opened: ReturnType<typeof open> | undefined
  let timeoutMs = TIMEOUT_MS

  /** Runs a callback, and rejects with a `TimeoutError` if it takes too long. Browsers may leave database requests pending. */
  const limitTime = <T>(callback: (limit: Limit) => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const limit: Limit = { isOver: false, stop: () => true }
      const timer = setTimeout(() => {
        timeoutMs = TIMEOUT_AGAIN_MS
        limit.isOver = limit.stop()
        if (limit.isOver) reject(new DOMException('The database does not respond.', 'TimeoutError'))
      }, timeoutMs)
      const finish = () => clearTimeout(timer)
      callback(limit).then(resolve, reject).finally(finish)
    })

  /**
   * Runs a callback on the database. If the connection was lost, as happens to background pages on iOS, or could not be opened, opens
   * another one and tries once more.
   *
   * @param callback takes the database, and its own time limit
   */
  async function use<T>(callback: (database: IDBPDatabase<DoorDatabase>, limit: Limit) => Promise<T>, isRetry = false): Promise<T> {
    opened ??= open()
    const used = opened
    let hasOpened = false
    try {
      const result = await limitTime(async (limit) => {
        const database = await used
        if (limit.isOver) throw new Error('The call has already timed out.')
        hasOpened = true
        return callback(database, limit)
      })
      timeoutMs = TIMEOUT_MS
      return result
    } catch (error) {
      const name = error instanceof Error ? error.name : ''
      if (hasOpened && !LOST_CONNECTION.includes(name)) throw error
      // Only the first of several concurrent calls opens another connection.
      if (opened === used) opened = undefined
      if (isRetry || name === 'TimeoutError') throw error
      return use(callback, true)
    }
  }

  await use(async () => {})
  return {
    state: () => use(async (database) => toPageList(await database.get('state', 'list'))),
    countTickets: () => use((database) => database.count('tickets')),
    countQueue: () => use((database) => database.count('queue')),
    find: (index) => use((database) => database.getFromIndex('tickets', 'index', index)),
    findByRef: (ref) => use((database) => database.get('tickets', ref)),
    entries: (after, limit) => use((database) => database.getAll('tickets', IDBKeyRange.lowerBound(after, true), limit)),
    entered: (index) => use((database) => database.get('entered', index)),
    savePage: (page, state, cursor) =>
      use(async (database) => {
        const transaction = database.transaction(['tickets', 'state'], 'readwrite')
        if (toPageList(await transaction.objectStore('state').get('list'))?.cursor !== cursor) return false
        const tickets = transaction.objectStore('tickets')
        if (page.reset) void tickets.clear()
        for (const entry of page.entries.map(toStoredEntry)) void (typeof entry === 'string' ? tickets.delete(entry) : tickets.put(entry))
        void transaction.objectStore('state').put(state, 'list')
        await transaction.done
        return true
      }),
    saveEntry: (entered, scan, condition) => {
      // A second attempt uses the same key, so that it finds what the first one has stored.
      const key = scan && (scan.heldSince === undefined ? queueKey(scan.at ?? Date.now(), scan.id, entered) : heldKey(scan.id))
      return use(async (database, limit) => {
        const transaction = database.transaction(['entered', 'queue'], 'readwrite', { durability: 'strict' })
        limit.stop = () => {
          try {
            transaction.abort()
          } catch {
            // It is being committed, so the entry will be stored.
            return false
          }
          transaction.done.catch(() => {})
          return true
        }
        const [queue, stored] = [transaction.objectStore('queue'), transaction.objectStore('entered')]
        // The first attempt stored both before the connection was lost.
        if (key !== undefined && (await queue.get(key))?.sealed === scan?.sealed) return true
        const isAllowed =
          condition === 'held'
            ? scan !== undefined && (await queue.getKey(heldKey(scan.id))) !== undefined
            : condition === undefined || !entered || (await stored.get(entered.index))?.at === condition.lastEnteredAt
        if (!isAllowed) return false
        await Promise.all([
          entered && stored.put(entered),
          scan && queue.delete(heldKey(scan.id)),
          scan && queue.put(scan, key),
          transaction.done,
        ])
        return true
      })
    },
    dropHeld: (id) => use((database) => database.delete('queue', heldKey(id))),
    releaseHeld: (isDue) =>
      use(async (database) => {
        const transaction = database.transaction('queue', 'readwrite')
        for (const { heldSince = 0, ...scan } of await transaction.store.getAll(IDBKeyRange.lowerBound(FIRST_HELD_KEY)))
          if (isDue(heldSince)) {
            void transaction.store.delete(heldKey(scan.id))
            void transaction.store.put(scan, queueKey(scan.at ?? Date.now(), scan.id))
          }
        await transaction.done
      }),
    queued: (limit, skip = 0) =>
      use(async (database) => (await database.getAll('queue', IDBKeyRange.upperBound(FIRST_HELD_KEY), skip + limit)).slice(skip)),
    unsent: () => use(async (database) => toUnsentTickets(await database.getAllKeys('queue'))),
    countChanges: () =>
      use(async (database) => new Map((await database.getAll('queue')).flatMap(({ id, move }) => (move ? [[id, move] as const] : [])))),
    removeQueued: (ids) =>
      use(async (database) => {
        const transaction = database.transaction('queue', 'readwrite')
        for (const key of await transaction.store.getAllKeys())
          if (ids.includes(key.split(' ')[1] ?? '')) void transaction.store.delete(key)
        await transaction.done
      }),
    recorded: () =>
      use(async (database) => {
        const transaction = database.transaction(['entered', 'queue'])
        const [stored, queueKeys] = await Promise.all([
          transaction.objectStore('entered').getAll(),
          transaction.objectStore('queue').getAllKeys(),
        ])
        const { indexes, refs } = toUnsentTickets(queueKeys)
        return stored.filter(({ index, ref }) => !indexes.has(index) && (ref === undefined || !refs.has(ref)))
      }),
    forgetEntered: (entered) =>
      use(async (database) => {
        const transaction = database.transaction('entered', 'readwrite')
        for (const { index, at } of entered) if ((await transaction.store.get(index))?.at === at) void transaction.store.delete(index)
        await transaction.done
      }),
    findMissing: (indexes) =>
      use(async (database) => {
        const transaction = database.transaction(['state', 'tickets'])
        const list = await transaction.objectStore('state').get('list')
        const missing = new Set(list?.waiting ? indexes : [])
        for (const index of missing) if (await transaction.objectStore('tickets').index('index').getKey(index)) missing.delete(index)
        return missing
      }),
    forgetDevice: () =>
      use(async (database) => {
        const transaction = database.transaction('state', 'readwrite')
        const list = await transaction.store.get('list')
        if (list) {
          const { signedDeviceId: _, ...rest } = list
          void transaction.store.put(rest, 'list')
        }
        await transaction.done
      }),
    wipeList: () =>
      use(async (database) => {
        const transaction = database.transaction(['tickets', 'state', 'entered', 'queue'], 'readwrite')
        for (const part of ['tickets', 'state'] as const) void transaction.objectStore(part).clear()
        const { indexes } = toUnsentTickets(await transaction.objectStore('queue').getAllKeys())
        const entered = transaction.objectStore('entered')
        for (const index of await entered.getAllKeys()) if (!indexes.has(index)) void entered.delete(index)
        await transaction.done
      }),
  }
}
