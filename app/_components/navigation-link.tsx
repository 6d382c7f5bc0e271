'use client'
/** A link of the main navigation, marked where one is. */
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

export function NavigationLink({ href, children }: { href: string; children: ReactNode }) {
  const path = usePathname()
  const here = path === href || path.startsWith(`${href}/`)
  return (
    <Link
      href={href}
      aria-current={here ? 'page' : undefined}
      className="whitespace-nowrap border-transparent border-b-2 px-2 pt-1 pb-2 text-quiet text-sm hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink"
    >
      {children}
    </Link>
  )
}
