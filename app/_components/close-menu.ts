/** Closes the menu (an element with `popover`) around the clicked element, because client-side navigation leaves it open. */
export const closeMenu = ({ currentTarget }: { currentTarget: Element }) => currentTarget.closest<HTMLElement>('[popover]')?.hidePopover?.()
