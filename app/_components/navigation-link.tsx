'use client'
/** A navigation link that marks the current page. */
import { usePathname, useSearchParams } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'
import { closeMenu } from './close-menu'
import { Link } from './link'
import { PEEK } from './peek-param'
import { CURSOR, omitParams } from './pending-query'

type Props = {
  href: string
  /** Forces a full page load. Check-in needs it for its own permissions policy, and the API docs because they are static. */
  isFullLoad?: boolean
  /** The tooltip, for a link that can be reduced to its icon. */
  title?: string
  className: string
  children: ReactNode
}

/** The current page's link scrolls into view if its row is wider than the screen. */
export function NavigationLink({ href, isFullLoad = false, title, className, children }: Props) {
  const path = usePathname()
  const query = useSearchParams()
  const [ownPath, ownQuery] = href.split('?')
  // A link with a query leads to a saved view, which is a table without its cursor.
  const isCurrent =
    ownQuery === undefined
      ? path === href || path.startsWith(`${href}/`)
      : path === ownPath && omitParams(query.toString(), [...CURSOR, PEEK]) === ownQuery
  const Anchor = isFullLoad ? 'a' : Link
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    const row = link.current?.parentElement
    if (!isCurrent || !row || !link.current) return
    const [own, all] = [link.current.getBoundingClientRect(), row.getBoundingClientRect()]
    row.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2
  }, [isCurrent])
  return (
    <Anchor ref={link} href={href} title={title} aria-current={isCurrent ? 'page' : undefined} className={className} onClick={closeMenu}>
      {children}
    </Anchor>
  )
}
