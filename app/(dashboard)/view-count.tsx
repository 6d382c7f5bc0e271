'use client'
/** The number of records in a saved view. The code and the numbers are loaded when the browser is idle. */
import { lazy, Suspense, useEffect, useState } from 'react'

const LiveCount = lazy(() => import('./live-count'))

export function ViewCount({ id }: { id: string }) {
  const [isIdle, setIdle] = useState(false)
  useEffect(() => {
    // Safari has no idle callbacks.
    const whenIdle = window.requestIdleCallback ?? setTimeout
    whenIdle(() => setIdle(true))
  }, [])
  return isIdle ? (
    <Suspense>
      <LiveCount id={id} />
    </Suspense>
  ) : null
}
