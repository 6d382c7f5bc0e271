'use client'
/** The button that copies the API request for a record, or for a form's current values. */
import { copyButtonCopy as copy } from '../copy/copy-button'
import { CopyButton } from './copy-button'

const QUIET = 'inline-flex items-center gap-1.5 self-start rounded text-quiet text-sm hover:text-ink'

type Props = {
  /** The curl command, or a function that returns it for the fields of the button's form. */
  command: string | ((form: FormData) => string)
  className?: string
}

export const CopyRequest = ({ command, className = QUIET }: Props) => (
  <CopyButton
    text={typeof command === 'string' ? command : (button) => command(new FormData(button.form ?? undefined))}
    what={copy.requestName}
    className={className}
  >
    {copy.request}
  </CopyButton>
)
