/** Determines whether something other than the page handles a key press. If so, single-letter shortcuts do nothing. */

/** Dialogs and fields, except checkboxes and radio buttons, which use only the space bar and the arrow keys. */
const KEY_HANDLER_SELECTOR =
  'input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable], [role=dialog], [role=alertdialog]'

/** Open dialogs that block the page. Filters are dialogs inside `main` that do not block it. Closing dialogs are still in the document. */
const MODAL_SELECTOR = ':is([role=dialog], [role=alertdialog]):not(main *, [data-closed])'

/** Returns whether a dialog blocks the page. */
export const isBlocked = (): boolean => document.querySelector(MODAL_SELECTOR) !== null

/** Returns whether the target of a key press is in a field or dialog, or behind a dialog, where a click outside it moves the focus. */
export const isTyping = (target: EventTarget | null): boolean =>
  isBlocked() || (target instanceof Element && target.closest(KEY_HANDLER_SELECTOR) !== null)
