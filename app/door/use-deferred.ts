/** Loads a part of the page that the first scan does not need. */
import { useEffect, useState } from 'react'

const RETRY_MS = 5_000

/**
 * Returns a part of the page once it is loaded. A failed load is retried until it succeeds.
 *
 * @param load a function, defined outside the component, that imports the part; undefined until the part is needed
 * @returns the part, or undefined until it is loaded
 */
export function useDeferred<T>(load: (() => Promise<T>) | undefined): T | undefined {
  const [loaded, setLoaded] = useState<{ part: T }>()
  useEffect(() => {
    if (!load) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let hasEnded = false
    const start = () =>
      load().then(
        (part) => hasEnded || setLoaded({ part }),
        () => {
          if (!hasEnded) timer = setTimeout(start, RETRY_MS)
        },
      )
    void start()
    return () => {
      hasEnded = true
      clearTimeout(timer)
    }
  }, [load])
  return loaded?.part
}
