'use client'
/** Highlights the current section in the table of contents, and closes the contents on a phone after a selection. */
import { useEffect } from 'react'

export function NavigationMarks() {
  useEffect(() => {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('a.docs-link')]
    const places = [...new Set(links.map(({ hash }) => document.getElementById(hash.slice(1))))].filter((place) => place !== null)
    const inSight = new Set<Element>()
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) inSight.add(target)
          else inSight.delete(target)
        }
        const first = places.find((place) => inSight.has(place))
        for (const link of links) {
          if (first && link.hash === `#${first.id}`) link.setAttribute('aria-current', 'location')
          else link.removeAttribute('aria-current')
        }
      },
      { rootMargin: '-64px 0px -60% 0px' },
    )
    for (const place of places) watcher.observe(place)
    const fold = (event: Event) => {
      const link = event.target instanceof Element ? event.target.closest('a.docs-link') : null
      link?.closest('details')?.removeAttribute('open')
    }
    document.addEventListener('click', fold)
    return () => {
      watcher.disconnect()
      document.removeEventListener('click', fold)
    }
  }, [])
  return null
}
