'use client'
/** A button that copies text to the clipboard and confirms that it was copied. */
import { type ReactNode, useState } from 'react'
import { copyButtonCopy } from '../copy/copy-button'
import { copyText } from './copy-text'
import { Icon } from './icon'

const MESSAGE_DURATION_MS = 1500

export type CopyButtonProps = {
  /** The text, or a function that returns it when the button is clicked. If the function returns undefined, nothing is copied. */
  text: string | ((button: HTMLButtonElement) => string | undefined)
  /** What is copied, such as "link", for the accessible name and the confirmation. */
  name: string
  /** The label. Without one, only the icon is shown. */
  children?: ReactNode
  className?: string
}

export function CopyButton({ text, name, children, className }: CopyButtonProps) {
  const [state, setState] = useState<'copied' | 'failed'>()
  async function copy(button: HTMLButtonElement) {
    const copied = typeof text === 'string' ? text : text(button)
    if (copied === undefined) return
    setState((await copyText(copied)) ? 'copied' : 'failed')
    button.focus()
    setTimeout(() => setState(undefined), MESSAGE_DURATION_MS)
  }
  const message = state === 'copied' ? copyButtonCopy.copied(name) : state === 'failed' ? copyButtonCopy.failed : ''
  return (
    // `relative` lets an ancestor that scrolls or clips also clip the status.
    <span className="relative inline-flex shrink-0">
      <button
        type="button"
        onClick={(event) => copy(event.currentTarget)}
        aria-label={children ? undefined : copyButtonCopy.copy(name)}
        title={message || undefined}
        className={className ?? 'shrink-0 rounded p-[5px] text-quiet hover:bg-hover hover:text-ink'}
      >
        <Icon name={state === 'copied' ? 'check' : state === 'failed' ? 'close' : 'copy'} />
        {children}
      </button>
      <span role="status" className="sr-only">
        {message}
      </span>
    </span>
  )
}
