'use client'
/** The rows of a list. Handles key presses and clicks anywhere on a row, and shows a record in a drawer at the right edge of the window. */
import { useRouter, useSearchParams } from 'next/navigation'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import type { PeekDrawerProps } from '@/app/(dashboard)/[resource]/[id]/peek-drawer'
import { OBJECT_ID } from '@/lib/core/object-id-pattern'
import { isTyping } from './is-typing'
import { onDemand } from './on-demand'
import { PEEK } from './peek-param'
import { isLoading } from './pending-query'

const PeekDrawer = onDemand<PeekDrawerProps>(() => import('@/app/(dashboard)/[resource]/[id]/peek-drawer').then((module) => module.default))

/** The interactions with a row that start loading the drawer. */
const PRELOAD_EVENTS = ['pointerover', 'focusin'] as const

/** Matches windows wide enough for the drawer. Narrower ones open the record's page instead. */
const WIDE_QUERY = '(min-width: 64rem)'

function subscribeToWidth(change: () => void) {
  const query = window.matchMedia(WIDE_QUERY)
  query.addEventListener('change', change)
  return () => query.removeEventListener('change', change)
}

const isWide = () => window.matchMedia(WIDE_QUERY).matches

/**
 * The minimum time between records in the drawer while a key is held down, in milliseconds. Safari allows 100 URL changes per 10 seconds.
 */
const REPEAT_MS = 120

/** Menus handle key presses themselves. */
const MENU_SELECTOR = '[role=menu], details[open]'

/**
 * Returns whether the pointer is on the link's text, where a click opens the page, rather than elsewhere in the row, which the link also
 * covers.
 */
const isOnText = (link: Element, { clientX, clientY }: MouseEvent) =>
  [...link.getClientRects()].some(
    ({ left, right, top, bottom }) => clientX >= left && clientX <= right && clientY >= top && clientY <= bottom,
  )

/**
 * A click on a row, or `o`, opens its record in the drawer. A click on the link's text or with a modifier key, or Enter, opens the record's
 * page. `j` and `k` move through the rows, `x` selects a row, and `e` exports the table or the selected rows. The URL contains the ID of
 * the record in the drawer.
 *
 * @param path the table's page
 * @param suffix the query string of the row links, with its `?`, or an empty string
 */
export function Rows({ path, suffix, className, children }: { path: string; suffix: string; className: string; children: ReactNode }) {
  const body = useRef<HTMLTableSectionElement>(null)
  const hasRoom = useSyncExternalStore(subscribeToWidth, isWide, () => false)
  const query = useSearchParams()
  const id = query.get(PEEK) ?? ''
  // Values that are not IDs must not become part of a requested path.
  const linkedId = OBJECT_ID.test(id) ? id : undefined
  // The record in the drawer while a navigation is pending, when the URL must not change.
  const [unlinked, setUnlinked] = useState<{ id: string | undefined; query: string }>()
  if (unlinked && unlinked.query !== query.toString()) setUnlinked(undefined)
  const currentId = unlinked ? unlinked.id : linkedId
  const shownId = hasRoom ? currentId : undefined
  const shownAt = useRef(0)
  const router = useRouter()
  const [isLoaded, setLoaded] = useState(false)

  function show(id: string | undefined): void {
    if (id === shownId) return
    // If the URL changed, Next.js would discard the pending navigation.
    if (isLoading()) {
      setUnlinked({ id, query: query.toString() })
      return
    }
    setUnlinked(undefined)
    if (id === linkedId) return
    const params = new URLSearchParams(window.location.search)
    if (id === undefined) params.delete(PEEK)
    else params.set(PEEK, id)
    const url = params.size > 0 ? `?${params}` : window.location.pathname
    // The history entry stores whether going back closes the drawer, so that this is still known after a reload or a visit to another page.
    const state = { [PEEK]: linkedId === undefined || window.history.state?.[PEEK] }
    if (linkedId === undefined) window.history.pushState(state, '', url)
    else window.history.replaceState(state, '', url)
  }

  function close(): void {
    if (window.history.state?.[PEEK] && !isLoading()) window.history.back()
    else show(undefined)
  }

  const onClick = useEffectEvent((event: MouseEvent) => {
    const { target, ctrlKey, metaKey, shiftKey, altKey, detail } = event
    if (!(target instanceof Element) || window.getSelection()?.type === 'Range') return
    const link = target.closest('tr')?.querySelector<HTMLAnchorElement>('a[data-row]')
    const other = target.closest('a, input, button, label')
    if (!link || (other && other !== link)) return
    // Pressing Enter also fires a click event, whose `detail` is 0.
    const opensDrawer = hasRoom && detail > 0 && !ctrlKey && !metaKey && !shiftKey && !altKey && !isOnText(link, event)
    if (opensDrawer) {
      event.preventDefault()
      show(String(link.dataset.row))
    } else if (!other) {
      // Cells with tooltips are above the link, so their clicks are forwarded to it.
      link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }))
    }
  })

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, target, metaKey, ctrlKey, altKey, repeat, timeStamp } = event
    if (
      event.defaultPrevented ||
      !(target instanceof Element) ||
      metaKey ||
      ctrlKey ||
      altKey ||
      isTyping(target) ||
      target.closest(MENU_SELECTOR)
    )
      return
    if (key === 'Escape' && shownId !== undefined) return close()
    const row = target.closest('tr')
    if (key === 'x' && !repeat) row?.querySelector<HTMLInputElement>('input[data-select]')?.click()
    const link = row?.querySelector<HTMLAnchorElement>('a[data-row]')
    if (key === 'o' && link && hasRoom) return show(String(link.dataset.row))
    if (key === 'e' && !repeat) {
      const button = document.getElementById('export-selected') ?? document.getElementById('export')
      button?.focus()
      button?.click()
    }
    if (key !== 'j' && key !== 'k') return
    const links = [...(body.current?.querySelectorAll<HTMLAnchorElement>('a[data-row]') ?? [])]
    const currentRow = shownId ?? link?.dataset.row
    const index = links.findIndex(({ dataset }) => dataset.row === currentRow)
    const nextLink = links[key === 'j' ? Math.min(index + 1, links.length - 1) : Math.max(index - 1, 0)]
    event.preventDefault()
    if (!nextLink) return
    if (!target.closest('[data-peek]')) nextLink.focus()
    if (shownId === undefined || nextLink === links[index] || (repeat && timeStamp - shownAt.current < REPEAT_MS)) return
    shownAt.current = timeStamp
    nextLink.scrollIntoView({ block: 'nearest' })
    show(String(nextLink.dataset.row))
  })

  useEffect(() => {
    const rows = body.current
    const click = (event: MouseEvent) => onClick(event)
    const keydown = (event: KeyboardEvent) => onKey(event)
    // After the first interaction with the table, the user will probably open a record, so the drawer's code is loaded.
    for (const type of PRELOAD_EVENTS) rows?.addEventListener(type, PeekDrawer.load, { once: true })
    rows?.addEventListener('click', click)
    document.addEventListener('keydown', keydown)
    return () => {
      for (const type of PRELOAD_EVENTS) rows?.removeEventListener(type, PeekDrawer.load)
      rows?.removeEventListener('click', click)
      document.removeEventListener('keydown', keydown)
    }
  }, [])

  const href = `${path}/${currentId}${suffix}`
  // Offline, or after a deployment, the drawer's code might not load. In that case, the record's page is opened as soon as
  // there is a connection.
  useEffect(() => {
    if (shownId === undefined) return
    let isCurrent = true
    PeekDrawer.load().then((hasLoaded) => {
      if (hasLoaded) setLoaded(true)
      else if (isCurrent) router.replace(href)
    })
    return () => {
      isCurrent = false
    }
  }, [shownId, href, router])

  // If there is no room for the drawer, a shared link to it opens the record's page.
  useEffect(() => {
    if (linkedId && !isWide()) window.location.replace(href)
  }, [linkedId, href])

  return (
    <tbody ref={body} className={className}>
      {children}
      {shownId !== undefined && isLoaded
        ? createPortal(<PeekDrawer id={shownId} href={href} path={path} close={close} />, document.body)
        : null}
    </tbody>
  )
}
