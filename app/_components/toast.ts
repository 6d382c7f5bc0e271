/** Shows short messages in the corner of the dashboard. `Toasts` renders them. */

export type Toast = {
  text: string
  /** A button next to the text, such as Undo. */
  action?: { label: string; run: () => void }
}

/** The type of the event that carries a toast. */
export const TOAST = 'desk:toast'

/** Shows a message for five seconds, or while it is hovered or focused. Screen readers announce it. Call this only in the browser. */
export function showToast(toast: Toast): void {
  document.dispatchEvent(new CustomEvent<Toast>(TOAST, { detail: toast }))
}
