'use client'
/** A navigation link that marks the current page, and is scrolled into view if its row is wider than the screen. */
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'

type Props = {
  href: string
  /** Forces a full page load, for a page with a different permissions policy. */
  whole?: boolean
  children: ReactNode
}

export function NavigationLink({ href, whole = false, children }: Props) {
  const path = usePathname()
  const here = path === href || path.startsWith(`${href}/`)
  const Anchor = whole ? 'a' : Link
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    const row = link.current?.parentElement
    if (!here || !row || !link.current) return
    const [own, all] = [link.current.getBoundingClientRect(), row.getBoundingClientRect()]
    row.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2
  }, [here])
  return (
    <Anchor
      ref={link}
      href={href}
      aria-current={here ? 'page' : undefined}
      className="whitespace-nowrap border-transparent border-b-2 px-2 pt-1 pb-2 text-quiet text-sm hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink"
    >
      {children}
    </Anchor>
  )
}
