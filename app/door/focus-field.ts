/** Manages the focus of text fields. */

/** Focuses a form field when it is mounted. Defined once, because React would call an inline ref callback again on each render. */
export const focusField = (field: HTMLInputElement | null) => field?.focus()

/** Prepares the code field for the next scan. Blurs it on touch screens, because the on-screen keyboard would cover the result. */
export function readyField(field: HTMLInputElement | null): void {
  if (window.matchMedia('(pointer: coarse)').matches) field?.blur()
  else field?.focus()
}
