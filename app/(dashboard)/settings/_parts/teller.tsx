'use client'
/** Says what was done, where everybody hears of it; and takes the focus where the change has removed what had it. */
import { usePathname } from 'next/navigation'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'

const TellContext = createContext<(text: string) => void>(() => {})

/** A function that shows a sentence above the page, until another area is opened. */
export const useTell = () => useContext(TellContext)

/** What had the focus may go only when the server's answer is there: so long and so often is looked. */
const LOOK_MS = 100
const LOOKS = 50

export function Teller({ children }: { children: ReactNode }) {
  const path = usePathname()
  const [told, setTold] = useState<{ text: string; path: string }>()
  const line = useRef<HTMLParagraphElement>(null)
  const tell = useMemo(() => (text: string) => setTold({ text, path }), [path])

  useEffect(() => {
    if (!told) return
    let looks = 0
    const timer = setInterval(() => {
      looks += 1
      const lost = document.activeElement === document.body
      if (lost) line.current?.focus()
      if (lost || looks === LOOKS) clearInterval(timer)
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [told])

  return (
    <TellContext value={tell}>
      <p ref={line} role="status" tabIndex={-1} className="mb-1 min-h-6 break-words rounded text-good text-sm">
        {told?.path === path ? told.text : null}
      </p>
      {children}
    </TellContext>
  )
}
