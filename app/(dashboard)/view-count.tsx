'use client'
/** The number of records in a saved view. The code and the numbers are loaded once the browser is idle. */
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'

// If the code cannot be loaded, the number is omitted, because an error would replace the page.
const LiveCount = lazy<ComponentType<{ id: string }>>(() => import('./live-count').catch(() => ({ default: () => null })))

export function ViewCount({ id }: { id: string }) {
  const [isIdle, setIdle] = useState(false)
  useEffect(() => {
    // Some browsers do not support `requestIdleCallback`.
    const whenIdle = window.requestIdleCallback ?? setTimeout
    whenIdle(() => setIdle(true))
  }, [])
  return isIdle ? (
    <Suspense>
      <LiveCount id={id} />
    </Suspense>
  ) : null
}
