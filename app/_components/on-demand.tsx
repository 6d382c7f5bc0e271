/** Lazy-loaded components. */
import type { ComponentType } from 'react'
import { shellCopy } from '../copy/shell'
import { showToast } from './toast'

/** Resolves to whether the code is loaded. Can be called again after a failure. */
export type Load = () => Promise<boolean>

/** Runs several loads. Resolves to whether all of them succeeded. */
export const loadAll = async (loads: Load[]): Promise<boolean> => (await Promise.all(loads.map((load) => load()))).every(Boolean)

/** Loads the code of a control after the user has activated it. Shows a message if loading fails. */
export async function loadOrWarn(load: Load): Promise<boolean> {
  const isLoaded = await load()
  if (!isLoaded) showToast({ text: shellCopy.notLoaded })
  return isLoaded
}

/**
 * Returns a lazy-loaded component. Call `load` first, and render the component only once `load` has resolved to true. Until then, it
 * renders nothing.
 *
 * React's `lazy` is not used, because it suspends on the first render even if the code is loaded, and React waits 300 ms before it replaces
 * a fallback.
 *
 * @param importComponent imports the component
 */
export function onDemand<Props extends object>(importComponent: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined
  function OnDemand(props: Props) {
    const Loaded = loaded
    return Loaded ? <Loaded {...props} /> : null
  }
  OnDemand.load = async (): Promise<boolean> => {
    try {
      loaded ??= await importComponent()
      return true
    } catch {
      return false
    }
  }
  return OnDemand
}
