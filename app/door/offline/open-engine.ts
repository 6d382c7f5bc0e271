/** Opens the engine with this browser's store. */
import { createEngine, type Engine } from './engine'
import { openStore } from './store'

export const openEngine = async (): Promise<Engine> =>
  createEngine({ store: await openStore(), send: (path, request) => fetch(path, request) })

/**
 * Sends the scans that this browser has stored. Call it before the browser is set up as a new device, which could not report them if it
 * belongs to another shop.
 *
 * @returns the number of unsent scans that could still be sent later as the current device
 * @throws {Error} if the storage does not respond or cannot be read
 */
export async function reportUnsent(): Promise<number> {
  // Browsers may refuse storage, for example in a private window. Without a store, there are no scans.
  const engine = await openEngine().catch((error) => {
    if (error instanceof Error && error.name === 'TimeoutError') throw error
    return undefined
  })
  return engine ? engine.report() : 0
}
