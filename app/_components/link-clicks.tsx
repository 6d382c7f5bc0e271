'use client'
/** Opens the dashboard's links by client-side navigation, without loading a new document. */
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { toPendingHref } from './pending-query'

/** Adds one listener for all links on the page. Ignores clicks that open a new tab or window, and clicks that were already handled. */
export function LinkClicks() {
  const router = useRouter()
  useEffect(() => {
    function onClick(event: MouseEvent) {
      const { target, button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event
      if (defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey || !(target instanceof Element)) return
      const link = target.closest<HTMLAnchorElement>('a[data-link]')
      if (!link) return
      event.preventDefault()
      router.push(toPendingHref(link), { scroll: link.dataset.link !== 'keep-scroll' })
    }
    document.addEventListener('click', onClick)
    return () => document.removeEventListener('click', onClick)
  }, [router])
  return null
}
