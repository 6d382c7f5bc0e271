/** Components whose code is loaded on first use. */
import { type ComponentType, lazy, useState } from 'react'

/**
 * Returns a component whose code is loaded on first use. Call `load` first; it resolves once the component can render immediately.
 * A component made with `lazy` suspends on its first render even if its code is loaded, and React waits 300 ms before it replaces a
 * fallback.
 *
 * @param importComponent imports the component
 */
export function onDemand<Props extends object>(importComponent: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined
  const Lazy = lazy(async () => {
    loaded ??= await importComponent()
    return { default: loaded }
  })
  function OnDemand(props: Props) {
    // The same component is used for each render, because switching to another one would lose its state.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? (Lazy as never))
    return <Shown {...props} />
  }
  OnDemand.load = async (): Promise<void> => {
    try {
      loaded ??= await importComponent()
    } catch {
      // Rendering tries again, and throws if that fails.
    }
  }
  return OnDemand
}
