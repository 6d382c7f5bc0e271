'use client'
/** The number of records of a saved view. Its code and the numbers are loaded after the page. */
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
