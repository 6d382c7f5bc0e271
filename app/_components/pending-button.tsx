/** A button that ignores clicks while its change is pending. Unlike a disabled button, it keeps the focus. */
import type { ComponentProps } from 'react'

export const PendingButton = ({ pending, onClick, type = 'button', ...props }: ComponentProps<'button'> & { pending: boolean }) => (
  <button
    {...props}
    type={type}
    aria-disabled={pending}
    onClick={(event) => {
      // Pressing Enter in a field also clicks the form's submit button.
      if (pending) event.preventDefault()
      else onClick?.(event)
    }}
  />
)
