/** Manages the focus of text fields. */

/** Focuses a form's field when it is mounted. A stable function, because React calls a new ref callback on each render. */
export const focusField = (field: HTMLInputElement | null) => field?.focus()

/** Prepares the code field for the next scan. On touch screens it loses the focus, because the keyboard would cover the result. */
export function readyField(field: HTMLInputElement | null): void {
  if (window.matchMedia('(pointer: coarse)').matches) field?.blur()
  else field?.focus()
}
