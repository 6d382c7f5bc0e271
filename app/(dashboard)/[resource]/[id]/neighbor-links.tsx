'use client'
/** Links to the previous and next records in the list, with the shortcuts `[` and `]`. `Esc` returns to the list. */
import { useRouter } from 'next/navigation'
import { useLayoutEffect } from 'react'
import { Icon } from '@/app/_components/icon'
import { isTyping } from '@/app/_components/is-typing'
import { Link } from '@/app/_components/link'
import { recordCopy } from '@/app/copy/record'

/** `list`, `previous` and `next` are the paths of the list and of the previous and next records. */
type Props = {
  list: string
  previous: string | undefined
  next: string | undefined
  labels: { previous: string; next: string }
}

/** Returns whether the target is inside an element that handles key presses itself: a field, a dialog or an open menu. */
const handlesKeys = (target: EventTarget | null) =>
  isTyping(target) || (target instanceof Element && target.closest('details[open], [popover]') !== null)

export function NeighborLinks({ list, previous, next, labels }: Props) {
  const router = useRouter()
  // A layout effect runs in the commit that shows the record. A passive effect would run later, and key presses until then would be lost or
  // follow the previous record's links.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const path = { '[': previous, ']': next, Escape: list }[event.key]
      // Ctrl+Alt is AltGr, which types brackets on many keyboards.
      if (path === undefined || (event.ctrlKey && !event.altKey) || event.metaKey || event.defaultPrevented || handlesKeys(event.target))
        return
      // Escape first closes an open dialog or menu.
      if (event.key === 'Escape' && document.querySelector('[role=dialog], [role=alertdialog], :popover-open')) return
      event.preventDefault()
      router.push(path)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [router, list, previous, next])
  return (
    <nav className="flex gap-1 print:hidden" aria-label={recordCopy.neighbors}>
      <NeighborLink path={previous} label={labels.previous} keys="[" icon="left" />
      <NeighborLink path={next} label={labels.next} keys="]" icon="right" />
    </nav>
  )
}

function NeighborLink({ path, label, keys, icon }: { path: string | undefined; label: string; keys: string; icon: 'left' | 'right' }) {
  const shape = 'grid size-8 place-items-center rounded-md max-lg:size-11'
  if (path === undefined) {
    return (
      <span aria-hidden className={`${shape} opacity-40`}>
        <Icon name={icon} size={16} />
      </span>
    )
  }
  return (
    <Link href={path} aria-label={label} title={`${label} (${keys})`} aria-keyshortcuts={keys} className={`${shape} hover:bg-hover`}>
      <Icon name={icon} size={16} />
    </Link>
  )
}
