/** A button that ignores clicks while its change is pending, and keeps the focus, which a disabled button would lose. */
import type { ComponentProps } from 'react'

export const PendingButton = ({ pending, onClick, type = 'button', ...props }: ComponentProps<'button'> & { pending: boolean }) => (
  <button
    {...props}
    type={type}
    aria-disabled={pending}
    onClick={(event) => {
      // Enter in a field of a form clicks its submit button too.
      if (pending) event.preventDefault()
      else onClick?.(event)
    }}
  />
)
