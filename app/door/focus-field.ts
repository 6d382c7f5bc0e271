/** Puts the cursor where someone is about to type, and nowhere else. */

/** The tap that opened a form meant to type in it. One function for good: a new one would be called at each render. */
export const focusField = (field: HTMLInputElement | null) => field?.focus()

/** Makes the code's field ready for the next guest. On a phone its keyboard would cover the answer: a scanner's first key finds the field. */
export function readyField(field: HTMLInputElement | null): void {
  if (window.matchMedia('(pointer: coarse)').matches) field?.blur()
  else field?.focus()
}
