/** Keeps this device ready to work offline: opens its store, updates its list, sends its scans, and stores the page. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Engine, EngineStatus } from './offline/engine'
import { createUpdateTimer, type UpdateTimer } from './offline/update-timer'

/** How often the list is updated, in milliseconds: normally, and while the server is unreachable or cannot send all tickets yet. */
const UPDATE_MS = 15_000
const RETRY_MS = 5_000

/**
 * `offline`: a device that may check tickets offline. `ended`: a revoked or expired device, which only reports its scans and deletes its
 * list. `onlineOnly`: a device that works without a signed-in user, but may not check tickets offline or belongs to another seller.
 * `none`: any other browser, which the user can enroll.
 */
export type BrowserState = 'offline' | 'ended' | 'onlineOnly' | 'none'

export type OfflineStatus = EngineStatus & {
  /** Whether the browser granted persistent storage, so that it does not evict the list when storage runs low. */
  isPersistent: boolean
  /** Whether the page opens offline. */
  isInstalled: boolean
}

export type Offline = {
  /**
   * Undefined while only the server can check tickets: until the list is complete, and after the device was revoked or has expired. While
   * the list is loaded again, an engine with unsent scans keeps the server from admitting their tickets a second time.
   */
  engine: Engine | undefined
  /** Undefined until the device's data is opened. */
  status: OfflineStatus | undefined
  /** Why this browser cannot work offline: no HTTPS, code that did not load, a storage error, or too little storage. */
  problem: 'insecure' | 'code' | 'storage' | 'full' | undefined
  /** Reads the status again. Call it after a scan. If the server is unreachable, contacts it again within 5 seconds. */
  refresh(): void
  /** Sends unsent scans and updates the list within 5 seconds. Call it after this device has checked a ticket, even if it is online. */
  sendSoon(): void
  /** Sends unsent scans and updates the list immediately. Call it after a change that only the server has recorded. */
  update(): void
  /** Reports that a scan could not be stored. */
  reportStorageFailure(): void
  /** Clears `status.delivered`. Call it when the server's counts include every scan that was sent. */
  forgetDelivered(): void
  /** Deletes the list, but not the unsent scans. */
  wipe(): Promise<void>
}

/** Enough storage for an evening's unsent scans, in bytes. */
const NEEDED_BYTES = 4 * 1024 * 1024
/** The maximum number of random bytes that a browser returns per call. */
const RANDOM_BYTES = 65_536
/** The number of updates after which the storage is checked again: about ten minutes. */
const STORAGE_CHECK_UPDATES = 40
/** The number of updates after which storing the page is tried again: about half a minute. */
const INSTALL_UPDATES = 2

/** Returns whether the browser refuses to store an evening's scans. Writes test data, because browsers do not report the free storage. */
async function isAlmostFull(): Promise<boolean> {
  const name = 'checkout-desk-door-probe'
  // Random, because browsers compress what they store.
  const bytes = new Uint8Array(NEEDED_BYTES)
  for (let offset = 0; offset < NEEDED_BYTES; offset += RANDOM_BYTES) crypto.getRandomValues(bytes.subarray(offset, offset + RANDOM_BYTES))
  try {
    await (await caches.open(name)).put('/door/probe', new Response(bytes))
    return false
  } catch (error) {
    // A browser that refuses this storage altogether, for example in a private window, can still store scans.
    return !(error instanceof DOMException && error.name === 'SecurityError')
  } finally {
    await caches.delete(name).catch(() => false)
  }
}

/** Opens the offline engine in a browser that is a device for offline check-in, or was one until it was revoked or expired. */
export function useOffline(browser: BrowserState): Offline {
  const [status, setStatus] = useState<OfflineStatus>()
  const [problem, setProblem] = useState<Offline['problem']>()
  const engine = useRef<Engine>(undefined)
  const isPersistent = useRef(false)
  const isInstalled = useRef(false)
  const isFull = useRef(true)
  const updates = useRef(0)
  const timer = useRef<UpdateTimer>(undefined)

  const readStatus = useCallback(async () => {
    const next = await engine.current?.status()
    if (next) setStatus({ ...next, isPersistent: isPersistent.current, isInstalled: isInstalled.current })
    return next
  }, [])

  const refresh = useCallback(async () => {
    const next = await readStatus()
    if (next?.isOffline) timer.current?.runWithin(RETRY_MS)
    return next
  }, [readStatus])

  useEffect(() => {
    if (browser !== 'offline' && browser !== 'ended') return
    // The stored page may be that of another device, or of this one before it was set up again.
    isInstalled.current = false
    let isInstalling = false
    /**
     * Stores the page, unless it is stored already. If this fails, the status line says so until a later update succeeds. The page of a
     * device that was revoked or has expired is not stored, because it cannot check tickets offline.
     */
    async function install(): Promise<void> {
      if (browser !== 'offline' || isInstalled.current || isInstalling) return
      isInstalling = true
      const installing = import('./offline/install-page').then(({ installPage }) => installPage())
      isInstalled.current = await installing.catch(() => false)
      isInstalling = false
      await refresh().catch(() => setProblem('storage'))
    }
    async function synchronize(): Promise<number> {
      // Counts that arrive while scans are being sent may include them.
      await engine.current?.synchronize(() => readStatus().catch(() => {}))
      const next = await refresh()
      // The storage is checked on every update until there is enough, and occasionally afterward, because it may fill up during the event.
      if (isFull.current || updates.current % STORAGE_CHECK_UPDATES === 0) isFull.current = await isAlmostFull()
      if (updates.current % INSTALL_UPDATES === 0 && next?.isOffline === false) void install()
      updates.current += 1
      setProblem(isFull.current ? 'full' : undefined)
      return next && (next.isOffline || next.waiting > 0) ? RETRY_MS : UPDATE_MS
    }
    // Storage errors are shown immediately, so that the person at the door notices them before the doors open.
    const updating = createUpdateTimer(() =>
      synchronize().catch(() => {
        setProblem('storage')
        return UPDATE_MS
      }),
    )
    timer.current = updating

    let opened: Engine | undefined
    let retry: ReturnType<typeof setTimeout> | undefined
    let hasEnded = false
    /** Opens the engine. Retries until it succeeds: without a connection, the code may not load, and storage may fail for a while. */
    async function start(): Promise<void> {
      // Browsers expose cryptography and service workers only in secure contexts.
      if (!window.isSecureContext) {
        setProblem('insecure')
        return
      }
      let failure: Offline['problem'] = 'code'
      try {
        const { openEngine } = await import('./offline/open-engine')
        failure = 'storage'
        opened ??= await openEngine()
        // The browser may have become another device in the meantime, which has its own engine.
        if (hasEnded) return
        engine.current = opened
        await refresh()
      } catch {
        if (hasEnded) return
        setProblem(failure)
        retry = setTimeout(start, RETRY_MS)
        return
      }
      setProblem(undefined)
      updating.runWithin(0)
      // Not awaited, because the browser may ask the user.
      void navigator.storage?.persist?.().then((isGranted) => {
        isPersistent.current = isGranted
      })
      await install()
    }
    void start()
    return () => {
      hasEnded = true
      clearTimeout(retry)
      updating.stop()
    }
  }, [browser, readStatus, refresh])

  function forgetDelivered() {
    engine.current?.forgetDelivered()
    setStatus((before) => (before && before.delivered.length > 0 ? { ...before, delivered: [] } : before))
  }

  return {
    engine: browser === 'offline' && (status?.isComplete || (status?.unsent ?? 0) > 0) ? engine.current : undefined,
    status,
    problem,
    refresh: () => void refresh().catch(() => setProblem('storage')),
    sendSoon: () => timer.current?.runWithin(RETRY_MS),
    update: () => timer.current?.runWithin(0),
    reportStorageFailure: () => setProblem('storage'),
    forgetDelivered,
    wipe: async () => engine.current?.wipe(),
  }
}
