/** Opens the engine with the store of this browser. */
import { createEngine, type Engine } from './engine'
import { openStore } from './store'

export const openEngine = async (): Promise<Engine> =>
  createEngine({ store: await openStore(), send: (path, request) => fetch(path, request) })

/**
 * Sends the scans that this browser has stored as another device, or for another shop. Call it before the browser becomes a new device,
 * which would report them as its own, at the wrong time.
 *
 * @returns the number of unsent scans if the server does not respond, otherwise 0
 */
export const reportUnsent = (): Promise<number> =>
  openEngine()
    .then((engine) => engine.report())
    // Browsers can refuse storage, for example in a private window. Without a store, there are no scans.
    .catch(() => 0)
