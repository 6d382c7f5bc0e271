'use client'
/** Uses client-side navigation, which loads no new document, for the dashboard's links and for forms that change a query. */
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { closeMenu } from './close-menu'
import { toPendingHref } from './pending-query'

/** Listens to all links and forms on the page. Ignores clicks that open a new tab or window, and clicks that were already handled. */
export function ClientNavigation() {
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
    function onSubmit(event: SubmitEvent) {
      const form = event.target
      if (!(form instanceof HTMLFormElement) || form.dataset.params === undefined) return
      event.preventDefault()
      const url = new URL(form.action)
      url.search = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)])).toString()
      const { href, pathname, search } = url
      router.push(toPendingHref({ href, pathname, search, dataset: form.dataset }), { scroll: false })
      closeMenu({ currentTarget: form })
    }
    document.addEventListener('click', onClick)
    document.addEventListener('submit', onSubmit)
    return () => {
      document.removeEventListener('click', onClick)
      document.removeEventListener('submit', onSubmit)
    }
  }, [router])
  return null
}
