'use client'
/** Shows the result of a change above the page, and takes the focus if the focused element is removed by the change. */
import { usePathname } from 'next/navigation'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'

const AnnounceContext = createContext<(text: string) => void>(() => {})

/** Returns a function that shows a sentence above the page until another settings page is opened. */
export const useAnnounce = () => useContext(AnnounceContext)

/** The focused element may disappear only with the server's response, so the focus is checked repeatedly for a while. */
const CHECK_MS = 100
const CHECKS = 50

export function Announcer({ children }: { children: ReactNode }) {
  const path = usePathname()
  const [message, setMessage] = useState<{ text: string; path: string }>()
  const line = useRef<HTMLParagraphElement>(null)
  const announce = useMemo(() => (text: string) => setMessage({ text, path }), [path])

  useEffect(() => {
    if (!message) return
    let checks = 0
    const timer = setInterval(() => {
      checks += 1
      const lost = document.activeElement === document.body
      if (lost) line.current?.focus()
      if (lost || checks === CHECKS) clearInterval(timer)
    }, CHECK_MS)
    return () => clearInterval(timer)
  }, [message])

  return (
    <AnnounceContext value={announce}>
      <p ref={line} role="status" tabIndex={-1} className="mb-1 min-h-6 break-words rounded text-good text-sm">
        {message?.path === path ? message.text : null}
      </p>
      {children}
    </AnnounceContext>
  )
}
