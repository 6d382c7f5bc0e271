'use client'
/** The progress line at the top of the window during navigations that take longer than 150 ms, and the offline notice. */
import { usePathname, useSearchParams } from 'next/navigation'
import { useOffline } from 'next/offline'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { shellCopy } from '../copy/shell'
import { type Navigation, setPending as setPendingUrl, setShown, viewKey } from './pending-query'
import { findRenderedAt, observeHead } from './rendered-at'
import { showToast } from './toast'

const DELAY_MS = 150
const timeFormat = new Intl.DateTimeFormat('en-US', { timeStyle: 'short', hourCycle: 'h23' })

export function NavigationProgress() {
  const [pathname, search] = [usePathname(), useSearchParams().toString()]
  const url = `${pathname}?${search}`
  const pathAndQuery = viewKey({ pathname, search })
  const [isPending, setPending] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  // A layout effect, because a key press or a timer that fires before a passive effect would still build on the previous navigation.
  useLayoutEffect(() => setShown(url), [url])

  useEffect(() => {
    const onStart = (event: Event) => {
      const { url: next, navigation } = (event as CustomEvent<{ url: string; navigation: Navigation }>).detail
      clearTimeout(timer.current)
      setPendingUrl(next, navigation)
      // The router reports both relative and absolute URLs. A link to the current page, or to a fragment of it, does not start a
      // navigation.
      if (viewKey(new URL(next, window.location.href)) === pathAndQuery) setPending(false)
      else timer.current = setTimeout(() => setPending(true), DELAY_MS)
    }
    document.addEventListener('desk:navigation', onStart)
    return () => {
      document.removeEventListener('desk:navigation', onStart)
      // A navigation ends when the URL changes.
      clearTimeout(timer.current)
      setPending(false)
    }
  }, [pathAndQuery])

  return (
    <>
      <div aria-hidden hidden={!isPending} data-progress className="fixed inset-x-0 top-0 z-40 h-0.5 overflow-hidden print:hidden">
        <div className="progress-line h-full bg-accent" />
      </div>
      <OfflineNotice />
    </>
  )
}

/** Shows a notice while the browser is offline. Next.js keeps the page, and retries failed requests once the browser is online. */
function OfflineNotice() {
  const isOffline = useOffline()
  const renderedAt = useSyncExternalStore(observeHead, findRenderedAt, () => undefined)
  const wasOffline = useRef(false)
  useEffect(() => {
    if (wasOffline.current && !isOffline) showToast({ text: shellCopy.online })
    wasOffline.current = isOffline
  }, [isOffline])
  if (!isOffline || renderedAt === undefined) return null

  async function retry() {
    try {
      await fetch('/healthz', { cache: 'no-store' })
      // Next.js checks the connection when it receives this event.
      window.dispatchEvent(new Event('online'))
    } catch {
      // Still offline: Next.js keeps checking.
    }
  }

  return (
    <section
      role="alert"
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b bg-warn-soft px-4 py-2 text-sm text-warn lg:px-6"
    >
      <p className="grow">
        <strong className="font-medium">{shellCopy.offline(timeFormat.format(new Date(renderedAt)))}.</strong> {shellCopy.offlineHint}
      </p>
      <button type="button" className="button h-8 text-ink" onClick={retry}>
        {shellCopy.retry}
      </button>
    </section>
  )
}
