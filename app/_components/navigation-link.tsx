'use client'
/** A navigation link that marks the current page. */
import { usePathname, useSearchParams } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'
import { closeMenu } from './close-menu'
import { Link } from './link'
import { PEEK } from './peek-param'
import { CURSOR_NAMES, omitParams } from './pending-query'

type Props = {
  href: string
  /** Loads a new document. Check-in needs this for its permissions policy, and the API docs because they are static. */
  isFullLoad?: boolean
  /** The tooltip, for a link that can collapse to its icon. */
  title?: string
  className: string
  children: ReactNode
}

/** Centers the current page's link in its row, which may be wider than a small screen. */
export function NavigationLink({ href, isFullLoad = false, title, className, children }: Props) {
  const path = usePathname()
  // A saved view's link has filters and a sort order, but selects no page.
  const view = `${path}?${omitParams(`${useSearchParams()}`, [...CURSOR_NAMES, 'limit', PEEK])}`
  const isCurrent = view === href || `${path}/`.startsWith(`${href}/`)
  const Anchor = isFullLoad ? 'a' : Link
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    const row = link.current?.parentElement
    if (!isCurrent || !row || !link.current) return
    const [linkBox, rowBox] = [link.current.getBoundingClientRect(), row.getBoundingClientRect()]
    row.scrollLeft += linkBox.left + linkBox.width / 2 - rowBox.left - rowBox.width / 2
  }, [isCurrent])
  return (
    <Anchor ref={link} href={href} title={title} aria-current={isCurrent ? 'page' : undefined} className={className} onClick={closeMenu}>
      {children}
    </Anchor>
  )
}
