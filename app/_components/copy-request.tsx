'use client'
/** The button for copying an API request. */
import { copyButtonCopy as copy } from '../copy/copy-button'
import { CopyButton, type CopyButtonProps } from './copy-button'

const QUIET_CLASSES = 'inline-flex items-center gap-1.5 self-start rounded text-quiet text-sm hover:text-ink'

/** `command` is the curl command, or a function that returns it, as in `CopyButtonProps`. */
type Props = { command: CopyButtonProps['text']; className?: string }

export const CopyRequest = ({ command, className = QUIET_CLASSES }: Props) => (
  <CopyButton text={command} name={copy.requestName} className={className}>
    {copy.request}
  </CopyButton>
)
