'use client'
/** A navigation link that marks the current page. */
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'
import { closeMenu } from './close-menu'
import { Link } from './link'

type Props = {
  href: string
  /** Forces a full page load, for a page with a different permissions policy. */
  isFullLoad?: boolean
  /** The tooltip, for a link that can be reduced to its icon. */
  title?: string
  className: string
  children: ReactNode
}

/** The current page's link scrolls into view if its row is wider than the screen. */
export function NavigationLink({ href, isFullLoad = false, title, className, children }: Props) {
  const path = usePathname()
  const here = path === href || path.startsWith(`${href}/`)
  const Anchor = isFullLoad ? 'a' : Link
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    const row = link.current?.parentElement
    if (!here || !row || !link.current) return
    const [own, all] = [link.current.getBoundingClientRect(), row.getBoundingClientRect()]
    row.scrollLeft += own.left + own.width / 2 - all.left - all.width / 2
  }, [here])
  return (
    <Anchor ref={link} href={href} title={title} aria-current={here ? 'page' : undefined} className={className} onClick={closeMenu}>
      {children}
    </Anchor>
  )
}
