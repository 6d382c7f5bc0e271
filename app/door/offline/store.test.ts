/** The store's time limit, how it opens the database again, and the condition for storing an entry. */
import 'fake-indexeddb/auto'
import { deleteDB, openDB } from 'idb'
import { afterEach, expect, it, vi } from 'vitest'
import type { TicketListPage } from '@/lib/admission/sealed-ticket'
import { newKey } from '../door-client'
import { createEngine } from './engine'
import { reportUnsent } from './open-engine'
import { type DoorStore, type ListState, openStore } from './store'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const useFakeTimers = () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

const makeScan = () => ({ id: newKey(), sealed: 'sealed' })

/** Keeps a transaction open, as a suspended tab may, so that the database does not respond. @returns a function that ends it */
async function block(name: string): Promise<() => Promise<void>> {
  const database = await openDB(name)
  const transaction = database.transaction(['state', 'tickets', 'queue', 'entered'], 'readwrite')
  let isBlocked = true
  const blocking = (async () => {
    while (isBlocked) await transaction.objectStore('state').get('list')
    await transaction.done
    database.close()
  })()
  return async () => {
    isBlocked = false
    await blocking
  }
}

it('opens the database again after it could not be opened', async () => {
  const name = newKey()
  const store = await openStore(name)
  // This closes the connection to the store.
  await deleteDB(name)
  const open = vi.spyOn(indexedDB, 'open')
  const failOnce = () =>
    open.mockImplementationOnce(() => {
      throw new DOMException('The storage is full.', 'QuotaExceededError')
    })
  failOnce()
  await expect(store.countQueue()).rejects.toThrow('The storage is full.')
  failOnce()
  // The same call tries again.
  expect(await store.countQueue()).toBe(0)
})

it('does not open the database again after an error other than a lost connection', async () => {
  const store = await openStore(newKey())
  const open = vi.spyOn(indexedDB, 'open')
  await expect(store.saveEntry({ index: {} as string, at: 0 }, undefined)).rejects.toMatchObject({ name: 'DataError' })
  expect(open).not.toHaveBeenCalled()
})

it('waits for the database for 3 seconds, then only briefly until it responds again', async () => {
  const name = newKey()
  const store = await openStore(name)
  const release = await block(name)
  useFakeTimers()
  /** Returns the name of a call's error after the given time, or undefined if the call is still waiting. */
  const waitFor = async (ms: number) => {
    let name: string | undefined
    store.countQueue().catch((error: Error) => {
      name = error.name
    })
    await vi.advanceTimersByTimeAsync(ms)
    return name
  }
  expect([await waitFor(2_999), await waitFor(3_000)]).toEqual([undefined, 'TimeoutError'])
  expect(await waitFor(500)).toBe('TimeoutError')
  await release()
  expect(await store.countQueue()).toBe(0)
  const releaseAgain = await block(name)
  expect(await waitFor(2_999)).toBeUndefined()
  await releaseAgain()
})

it.each([undefined, { lastEnteredAt: undefined }])(
  'stores nothing after a timeout, even if the database responds later',
  async (condition) => {
    const name = newKey()
    const store = await openStore(name)
    const release = await block(name)
    useFakeTimers()
    const saving = store.saveEntry({ index: 'a', at: 1 }, makeScan(), condition)
    const failed = expect(saving).rejects.toMatchObject({ name: 'TimeoutError' })
    await vi.advanceTimersByTimeAsync(3_000)
    await failed
    await release()
    expect([await store.entered('a'), await store.countQueue()]).toEqual([undefined, 0])
  },
)

it('waits for an entry that is being committed, because it can no longer be stopped', async () => {
  const name = newKey()
  const store = await openStore(name)
  const release = await block(name)
  vi.spyOn(IDBTransaction.prototype, 'abort').mockImplementation(() => {
    throw new DOMException('The transaction is being committed.', 'InvalidStateError')
  })
  useFakeTimers()
  const saving = store.saveEntry({ index: 'a', at: 1 }, makeScan())
  await vi.advanceTimersByTimeAsync(10_000)
  await release()
  expect([await saving, await store.countQueue()]).toEqual([true, 1])
})

/** Makes the next transaction fail after it has been committed, as if the browser had then lost the connection to the database. */
function loseConnectionAfterCommit(): void {
  const open = IDBDatabase.prototype.transaction
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(function (this: IDBDatabase, ...parameters) {
    const transaction = open.apply(this, parameters)
    const listen = transaction.addEventListener.bind(transaction)
    const listeners = new Map<string, EventListener>()
    transaction.addEventListener = (type: string, listener: unknown) => {
      listeners.set(type, listener as EventListener)
      if (type !== 'complete') return
      listen('complete', (event) => {
        Object.defineProperty(transaction, 'error', { value: new DOMException('Connection lost', 'UnknownError') })
        listeners.get('error')?.(event)
      })
    }
    return transaction
  })
}

it.each([
  ['an entry', { lastEnteredAt: undefined }],
  ['an entry without a condition', undefined],
  ['an override', 'held'],
] as const)('stores %s once if the connection is lost after it has been stored', async (_, condition) => {
  const store = await openStore(newKey())
  const scan = makeScan()
  await store.saveEntry(undefined, { ...scan, sealed: 'held back', heldSince: 1 })
  // The second attempt is made at another time.
  vi.spyOn(Date, 'now').mockReturnValueOnce(1_000)
  loseConnectionAfterCommit()
  expect(await store.saveEntry({ index: 'a', at: 1 }, scan, condition)).toBe(true)
  expect([await store.entered('a'), await store.queued(9), await store.countQueue()]).toEqual([{ index: 'a', at: 1 }, [scan], 1])
})

it('does not store an entry or an override that another tab has stored with the same ID', async () => {
  const store = await openStore(newKey())
  const scan = makeScan()
  await store.saveEntry(undefined, { ...scan, sealed: 'held back', heldSince: 1 })
  const save = (sealed: string, condition: 'held' | { lastEnteredAt: undefined }) =>
    store.saveEntry({ index: 'a', at: 1 }, { ...scan, sealed }, condition)
  expect([await save('override', 'held'), await save('other override', 'held')]).toEqual([true, false])
  expect([await save('entry', { lastEnteredAt: undefined }), await store.countQueue()]).toEqual([false, 1])
})

it('does not assume that a browser has no unsent scans if its storage does not respond', async () => {
  const pending = Object.assign(Object.create(IDBOpenDBRequest.prototype), { listeners: [] }) as IDBOpenDBRequest
  vi.spyOn(indexedDB, 'open').mockReturnValue(pending)
  useFakeTimers()
  const failed = expect(reportUnsent()).rejects.toMatchObject({ name: 'TimeoutError' })
  await vi.advanceTimersByTimeAsync(3_000)
  await failed
})

it('stores an entry only if no entry or exit has been stored since the given one', async () => {
  const store = await openStore(newKey())
  const save = (at: number, lastEnteredAt: number | undefined) => store.saveEntry({ index: 'a', at }, makeScan(), { lastEnteredAt })
  expect([await save(1, undefined), await save(2, undefined), await save(3, 1)]).toEqual([true, false, true])
  expect([await store.entered('a'), await store.countQueue()]).toMatchObject([{ at: 3 }, 2])
})

/** Opens an engine whose store has an empty list, and whose server admits every guest. */
async function openEngine(change: Partial<DoorStore> = {}) {
  const name = newKey()
  const store = await openStore(name)
  const list = {
    cursor: 'a',
    indexKey: 'a'.repeat(43),
    scanKey: '',
    timeZone: 'UTC',
    events: [],
    isComplete: true,
    updatedAt: 0,
    clockOffset: 0,
  }
  await store.savePage({ reset: false, entries: [] } as unknown as TicketListPage, list satisfies ListState, undefined)
  const engine = createEngine({ store: { ...store, ...change }, send: async () => Response.json({ kind: 'admitted' }) })
  const scan = async () =>
    (await engine.scan({ id: newKey(), code: 'K7qW2xZr9LmT4vBn8HcYs3Dj', checkIn: true, pageId: undefined })).decidedBy
  return { name, scan }
}

it('does not keep the server from checking tickets if the database does not respond', async () => {
  const { name, scan } = await openEngine()
  const release = await block(name)
  useFakeTimers()
  const scanning = scan()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await scanning).toBe('server')
  await release()
})

it('does not keep the server from checking tickets if the database fails after the list’s state was read', async () => {
  const { scan } = await openEngine({
    unsent: () => Promise.reject(new DOMException('The database does not respond.', 'TimeoutError')),
  })
  expect(await scan()).toBe('server')
})
