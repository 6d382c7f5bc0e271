'use client'
/** Says how many records have come in since the table was loaded, and shows them on request. Rows never move by themselves. */
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'

const POLL_MS = 20_000
/** The most records that are shown as a number. The server counts one more. */
const MOST = 999

/** `path` returns the number; `one` and `many` are the text after it, such as "new payments". */
export function NewRecords({ path, one, many }: { path: string; one: string; many: string }) {
  const router = useRouter()
  const [count, setCount] = useState(0)
  useEffect(() => {
    setCount(0)
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
    // A table that was in the background can be outdated.
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
          {`${count > MOST ? `${MOST}+` : count} ${count === 1 ? one : many}`}
        </button>
      ) : null}
    </div>
  )
}
