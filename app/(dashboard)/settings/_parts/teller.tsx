'use client'
/** Says what was done, where everybody hears of it; and takes the focus where the change has removed what had it. */
import { usePathname } from 'next/navigation'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'

const TellContext = createContext<(text: string) => void>(() => {})

/** A function that shows a sentence above the page, until another area is opened. */
export const useTell = () => useContext(TellContext)

/** Longer than a box takes to close and to give the focus back. */
const SETTLED_MS = 250

export function Teller({ children }: { children: ReactNode }) {
  const path = usePathname()
  const [told, setTold] = useState<{ text: string; path: string }>()
  const line = useRef<HTMLParagraphElement>(null)
  const tell = useMemo(() => (text: string) => setTold({ text, path }), [path])

  useEffect(() => {
    if (!told) return
    const timer = setTimeout(() => {
      if (document.activeElement === document.body) line.current?.focus()
    }, SETTLED_MS)
    return () => clearTimeout(timer)
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
