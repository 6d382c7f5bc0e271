/** The input field for codes that are typed, or sent by a barcode scanner that acts as a keyboard. */
import { type FormEvent, type RefObject, useEffect, useState } from 'react'
import type { CodeSource } from '@/lib/admission/scan-source'
import { doorCopy } from '../copy/door'
import { createKeystrokeTimer } from './code-source'
import { readyField } from './focus'
import { unlockSound } from './signals'

/** Returns whether the user might be typing in an element. Key presses elsewhere are assumed to come from a scanner. */
const isTextField = (target: EventTarget | null) =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'checkbox')

type Props = {
  field: RefObject<HTMLInputElement | null>
  /** Whether the field is visible without focus. Even if it is not, input from a scanner reaches it. */
  isShown: boolean
  onCode: (code: string, source: CodeSource) => void
}

export function ScanBox({ field, isShown, onCode }: Props) {
  const [code, setCode] = useState('')
  const [keystrokes] = useState(createKeystrokeTimer)

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event
      unlockSound()
      if (key.length !== 1 || ctrlKey || metaKey || altKey) return
      const isForCode = target === field.current || (key !== ' ' && !isTextField(target))
      if (!isForCode) return
      field.current?.focus()
      keystrokes.add(event)
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('pointerdown', unlockSound)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('pointerdown', unlockSound)
    }
  }, [field, keystrokes])
  useEffect(() => {
    if (isShown) readyField(field.current)
  }, [isShown, field])

  function submit(event: FormEvent) {
    event.preventDefault()
    setCode('')
    readyField(field.current)
    const source = keystrokes.takeSource(code)
    if (code !== '') onCode(code, source)
  }

  return (
    <form onSubmit={submit} className={`flex shrink-0 gap-2 p-2 ${isShown ? '' : 'not-focus-within:sr-only'}`}>
      <input
        ref={field}
        className="field h-16 min-w-0 grow font-mono text-base"
        aria-label={doorCopy.code}
        placeholder={doorCopy.codeHint}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={code}
        onChange={({ target: { value } }) => {
          if (value === '') keystrokes.clear()
          setCode(value)
        }}
      />
      <button type="submit" className="button-primary h-16 px-5 text-base">
        {doorCopy.check}
      </button>
    </form>
  )
}
