/** Manages the focus of text fields. */

/** Focuses a form field when it is mounted. Defined once, because React calls a new ref callback on each render. */
export const focusField = (field: HTMLInputElement | null) => field?.focus()

/** Prepares the code field for the next scan. On touch screens, removes the focus, because the on-screen keyboard would cover the result. */
export function readyField(field: HTMLInputElement | null): void {
  if (window.matchMedia('(pointer: coarse)').matches) field?.blur()
  else field?.focus()
}
