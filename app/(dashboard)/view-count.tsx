'use client'
/** The number of records in a saved view. The code and the numbers are loaded once the browser is idle. */
import { lazy, Suspense, useEffect, useState } from 'react'

const LiveCount = lazy(() => import('./live-count'))

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
