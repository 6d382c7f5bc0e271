'use client'
/** A navigation link that marks the current page. */
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

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
  return (
    <Anchor
      href={href}
      aria-current={here ? 'page' : undefined}
      className="whitespace-nowrap border-transparent border-b-2 px-2 pt-1 pb-2 text-quiet text-sm hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink"
    >
      {children}
    </Anchor>
  )
}
