'use client'
/** Puts a text on the clipboard, and says that it did. */
import { type ReactNode, useState } from 'react'
import { copyWords } from '../copy/copy-button'
import { Icon } from './icon'

const SHOWN_MS = 1500

/** Browsers give the clipboard to pages of HTTPS and of localhost alone; the old way works on the rest. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.style.position = 'fixed'
    area.style.opacity = '0'
    document.body.append(area)
    area.select()
    const copied = document.execCommand('copy')
    area.remove()
    return copied
  }
}

type Props = {
  text: string
  /** What is copied, as the button is read out. */
  what: string
  /** What stands on it; the icon alone where there is nothing. */
  children?: ReactNode
  className?: string
}

export function CopyButton({ text, what, children, className }: Props) {
  const [state, setState] = useState<'copied' | 'failed'>()
  async function copy(button: HTMLButtonElement) {
    setState((await copyText(text)) ? 'copied' : 'failed')
    button.focus()
    setTimeout(() => setState(undefined), SHOWN_MS)
  }
  const said = state === 'copied' ? copyWords.copied(what) : state === 'failed' ? copyWords.failed : ''
  return (
    <>
      <button
        type="button"
        onClick={(event) => copy(event.currentTarget)}
        aria-label={children ? undefined : copyWords.copy(what)}
        title={said || undefined}
        className={className ?? 'shrink-0 rounded p-[5px] text-quiet hover:bg-hover hover:text-ink'}
      >
        <Icon name={state === 'copied' ? 'check' : state === 'failed' ? 'close' : 'copy'} />
        {children}
      </button>
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  )
}
