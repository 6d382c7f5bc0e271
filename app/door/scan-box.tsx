/** The input for codes, typed by the user or a keyboard scanner. */
import { type FormEvent, type RefObject, useEffect, useState } from 'react'
import { doorCopy } from '../copy/door'
import { readyField } from './focus-field'
import { unlockSound } from './signals'

/** Returns whether the user might be typing into the target. Other key presses come from a scanner and go to the code field. */
const isTextField = (target: EventTarget | null) =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'checkbox')

type Props = {
  field: RefObject<HTMLInputElement | null>
  /** Whether the field is shown even without the focus. A keyboard scanner's input reaches it in any case. */
  isShown: boolean
  onCode: (code: string) => void
}

export function ScanBox({ field, isShown, onCode }: Props) {
  const [code, setCode] = useState('')

  useEffect(() => {
    const onKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      unlockSound()
      if (key.length === 1 && key !== ' ' && !isTextField(target) && !ctrlKey && !metaKey && !altKey) field.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('pointerdown', unlockSound)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('pointerdown', unlockSound)
    }
  }, [field])
  useEffect(() => {
    if (isShown) readyField(field.current)
  }, [isShown, field])

  function submit(event: FormEvent) {
    event.preventDefault()
    setCode('')
    readyField(field.current)
    if (code !== '') onCode(code)
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
        onChange={(event) => setCode(event.target.value)}
      />
      <button type="submit" className="button-primary h-16 px-5 text-base">
        {doorCopy.check}
      </button>
    </form>
  )
}
