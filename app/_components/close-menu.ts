/** Closes the menu (an element with `popover`) that contains a pressed element: a navigation without a page load would leave it open. */
export const closeMenu = ({ currentTarget }: { currentTarget: Element }) => currentTarget.closest<HTMLElement>('[popover]')?.hidePopover?.()
