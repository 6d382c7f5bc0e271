/** Determines whether the focused element handles a key press. If so, single-letter shortcuts do nothing. */

/** Fields, except checkboxes and radio buttons, which use only the space bar and the arrow keys. */
const HANDLES_KEYS = 'input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable], [role=dialog], [role=alertdialog]'

/** Returns whether the target of a key press is inside a field or a dialog. */
export const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.closest(HANDLES_KEYS) !== null
