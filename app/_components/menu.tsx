'use client'
/** A button that opens a menu of links and buttons. It works without JavaScript. On phones, the menu is at the bottom of the screen. */
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'

type Props = {
  /** The button's content. */
  button: ReactNode
  /** The accessible name, for a button without text. It is also the default tooltip. */
  label?: string
  title?: string
  /** The ID of the button. */
  id?: string
  /** The Tailwind class for the menu's width, except on phones. */
  width: string
  children: ReactNode
}

export function Menu({ button, label, title, id, width, children }: Props) {
  const menu = useRef<HTMLDetailsElement>(null)
  /** Closes the menu and returns the focus to its button. */
  function close() {
    if (!menu.current?.open) return
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
  }
  const onPress = useEffectEvent(({ target }: PointerEvent) => {
    if (menu.current?.open && target instanceof Node && !menu.current.contains(target)) menu.current.open = false
  })
  const onClick = useEffectEvent(({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('a') && menu.current?.contains(target)) close()
  })
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menu.current?.open) return
    // The page must not handle the key press too, for example by leaving the record.
    event.preventDefault()
    close()
  })
  useEffect(() => {
    const controller = new AbortController()
    document.addEventListener('pointerdown', onPress, { signal: controller.signal })
    document.addEventListener('click', onClick, { signal: controller.signal })
    // Runs before the page's own listeners, wherever the focus is, because a click in the menu may move the focus to the page.
    document.addEventListener('keydown', onKey, { signal: controller.signal, capture: true })
    return () => controller.abort()
  }, [])
  return (
    <details ref={menu} className="relative">
      <summary id={id} className="button w-full cursor-pointer list-none" aria-label={label} title={title ?? label}>
        {button}
      </summary>
      <div
        className={`absolute top-10 right-0 z-20 rounded-lg border border-line bg-card p-1 text-left text-sm shadow-lg max-sm:fixed max-sm:inset-x-2 max-sm:top-auto max-sm:bottom-16 max-sm:w-auto ${width}`}
      >
        {children}
      </div>
    </details>
  )
}
