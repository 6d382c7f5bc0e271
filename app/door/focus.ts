/** Manages the focus of text fields, of forms and confirmations that replace a button, and of the side panel. */

/** Focuses an element when it is mounted. Defined once, because React would call an inline ref callback again on each render. */
export const focusOnMount = (element: HTMLElement | null) => element?.focus()

/** Focuses the button that replaces a form or confirmation, unless the focus is elsewhere by now. Defined once, for the same reason. */
export function returnFocus(button: HTMLButtonElement | null): void {
  if (document.activeElement === document.body) button?.focus()
}

/** Prepares the code field for the next scan. Blurs it on touch screens, because the on-screen keyboard would cover the result. */
export function readyField(field: HTMLInputElement | null): void {
  if (window.matchMedia('(pointer: coarse)').matches) field?.blur()
  else field?.focus()
}

/**
 * Calls `onLost` when the most recently focused or clicked element in a box is removed and nothing has the focus.
 *
 * @returns a function that stops watching the box
 */
export function keepFocus(box: HTMLElement, onLost: () => void): () => void {
  let last: EventTarget | null = null
  const remember = ({ target }: Event) => {
    last = target
  }
  const observer = new MutationObserver(() => {
    if (last instanceof Element && !last.isConnected && document.activeElement === document.body) onLost()
  })
  box.addEventListener('focusin', remember)
  // Safari does not focus a button that is clicked.
  box.addEventListener('click', remember)
  observer.observe(box, { childList: true, subtree: true })
  return () => {
    box.removeEventListener('focusin', remember)
    box.removeEventListener('click', remember)
    observer.disconnect()
  }
}
