/** Manages the focus of text fields, and of the buttons that open forms. */

/** Focuses a form field when it is mounted. Defined once, because React would call an inline ref callback again on each render. */
export const focusField = (field: HTMLInputElement | null) => field?.focus()

/** Focuses the button that replaces a form, unless the focus is elsewhere by now. Defined once, for the same reason. */
export function returnFocus(button: HTMLButtonElement | null): void {
  if (document.activeElement === document.body) button?.focus()
}

/** Prepares the code field for the next scan. Blurs it on touch screens, because the on-screen keyboard would cover the result. */
export function readyField(field: HTMLInputElement | null): void {
  if (window.matchMedia('(pointer: coarse)').matches) field?.blur()
  else field?.focus()
}
