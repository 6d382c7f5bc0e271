/** Closes the menu (an element with `popover`) that contains the clicked element. Client-side navigation would leave it open. */
export const closeMenu = ({ currentTarget }: { currentTarget: Element }) => currentTarget.closest<HTMLElement>('[popover]')?.hidePopover?.()
