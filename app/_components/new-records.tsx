'use client'
/** Shows how many records have arrived since the table was loaded, and loads them on request. Rows never move without a click. */
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'

const POLL_MS = 20_000
/** The highest count shown. The server stops counting at one more. */
const MAX_SHOWN = 999

/**
 * @param path the URL that returns the count
 * @param one the text after a count of 1, such as "new payment"
 * @param many the text after other counts
 */
export function NewRecords({ path, one, many }: { path: string; one: string; many: string }) {
  const router = useRouter()
  const [count, setCount] = useState(0)
  useEffect(() => {
    const poll = async () => {
      if (document.visibilityState !== 'visible') return
      try {
        const response = await fetch(path)
        if (response.ok) setCount(((await response.json()) as { count: number }).count)
      } catch {
        // Offline: the next poll tries again.
      }
    }
    const timer = setInterval(poll, POLL_MS)
    // The count may be outdated after the page was in the background.
    document.addEventListener('visibilitychange', poll)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', poll)
    }
  }, [path])
  return (
    <div role="status" className="pointer-events-none sticky top-11 z-[3] flex h-0 justify-center">
      {count > 0 ? (
        <button
          type="button"
          className="button-primary pointer-events-auto mt-1 h-8 rounded-full shadow-lg"
          onClick={() => router.refresh()}
        >
          {`${count > MAX_SHOWN ? `${MAX_SHOWN}+` : count} ${count === 1 ? one : many}`}
        </button>
      ) : null}
    </div>
  )
}
