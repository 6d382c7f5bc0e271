'use client'
/** Shows a message above the page after a change. The message takes the focus if the change removes the focused element. */
import { usePathname } from 'next/navigation'
import { createContext, Fragment, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { ActionMessage } from './action-message'

type Announce = (text: string, options?: { isError?: boolean }) => void

const AnnounceContext = createContext<Announce>(() => {})

/** Returns a function that shows a message above the page until the user opens another page. */
export const useAnnounce = () => useContext(AnnounceContext)

/** The focused element might not be removed until the server responds, so the focus is checked repeatedly for up to 5 seconds. */
const POLL_INTERVAL_MS = 100
const MAX_POLLS = 50

/** @param className the position and the height of the message. Its space is reserved, so that nothing moves when it appears */
export function Announcer({ className = 'mb-1 min-h-6 self-center', children }: { className?: string; children: ReactNode }) {
  const path = usePathname()
  const [message, setMessage] = useState<{ text: string; isError: boolean; path: string; count: number }>()
  const messageRef = useRef<HTMLParagraphElement>(null)
  const announce = useMemo(
    (): Announce =>
      (text, { isError = false } = {}) =>
        setMessage((before) => ({ text, isError, path, count: (before?.count ?? 0) + 1 })),
    [path],
  )

  useEffect(() => {
    if (!message) return
    let polls = 0
    const timer = setInterval(() => {
      polls += 1
      const isFocusLost = document.activeElement === document.body
      if (isFocusLost) messageRef.current?.focus()
      if (isFocusLost || polls === MAX_POLLS) clearInterval(timer)
    }, POLL_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [message])

  return (
    <AnnounceContext value={announce}>
      <p
        ref={messageRef}
        role="status"
        tabIndex={-1}
        className={`break-words rounded text-sm ${message?.isError ? 'text-bad' : 'text-good'} ${className}`}
      >
        {/* The key replaces the text even if it is the same, because screen readers announce only what changes. */}
        <Fragment key={message?.count}>
          <ActionMessage text={message?.path === path ? message.text : undefined} />
        </Fragment>
      </p>
      {children}
    </AnnounceContext>
  )
}
