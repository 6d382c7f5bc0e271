'use client'
/** Opens the links of the dashboard without loading documents. */
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** One listener for all links of the page. Clicks that open a new tab or window, or that were handled already, are left to the browser. */
export function LinkClicks() {
  const router = useRouter()
  useEffect(() => {
    function onClick(event: MouseEvent) {
      const { target, button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event
      if (defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey || !(target instanceof Element)) return
      const link = target.closest<HTMLAnchorElement>('a[data-link]')
      if (!link) return
      event.preventDefault()
      router.push(link.href, { scroll: link.dataset.link !== 'keep-scroll' })
    }
    document.addEventListener('click', onClick)
    return () => document.removeEventListener('click', onClick)
  }, [router])
  return null
}
