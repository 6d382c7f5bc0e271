'use client'
/** Highlights the current section in the table of contents. On narrow screens, closes the contents after a link is clicked. */
import { useEffect } from 'react'

export function NavigationMarks() {
  useEffect(() => {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('a.docs-link')]
    const sections = [...new Set(links.map(({ hash }) => document.getElementById(hash.slice(1))))].filter((section) => section !== null)
    const visibleSections = new Set<Element>()
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) visibleSections.add(target)
          else visibleSections.delete(target)
        }
        const first = sections.find((section) => visibleSections.has(section))
        for (const link of links) {
          if (first && link.hash === `#${first.id}`) link.setAttribute('aria-current', 'location')
          else link.removeAttribute('aria-current')
        }
      },
      { rootMargin: '-64px 0px -60% 0px' },
    )
    for (const section of sections) observer.observe(section)
    const closeContents = (event: Event) => {
      const link = event.target instanceof Element ? event.target.closest('a.docs-link') : null
      link?.closest('details')?.removeAttribute('open')
    }
    document.addEventListener('click', closeContents)
    return () => {
      observer.disconnect()
      document.removeEventListener('click', closeContents)
    }
  }, [])
  return null
}
