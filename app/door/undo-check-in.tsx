/** A button that undoes a check-in or a check-out, with an inline form for the reason, because a dialog would block scanning. */
import { type FormEvent, useState } from 'react'
import { PendingButton } from '@/app/_components/pending-button'
import { doorCopy } from '../copy/door'
import { focusOnMount, returnFocus } from './focus'

/** @param onUndo resolves with an error message, or undefined on success */
export function UndoCheckIn({ label, onUndo }: { label: string; onUndo: (reason: string) => Promise<string | undefined> }) {
  /** Undefined until the form is opened for the first time. */
  const [isOpen, setOpen] = useState<boolean>()
  const [reason, setReason] = useState('')
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<string>()

  function close() {
    setOpen(false)
    setError(undefined)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    setPending(true)
    const message = await onUndo(reason.trim())
    setPending(false)
    if (message === undefined) close()
    else setError(message)
  }

  if (!isOpen) {
    return (
      <button
        ref={isOpen === undefined ? undefined : returnFocus}
        type="button"
        className="button h-16 w-full"
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
    )
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <label className="flex flex-col gap-1 text-sm">
        {doorCopy.undoReason}
        <input
          ref={focusOnMount}
          className="field h-16 text-base"
          placeholder={doorCopy.undoReasonHint}
          autoComplete="off"
          required
          pattern=".*\S.*"
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      {error ? (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      ) : null}
      <div className="grid grid-cols-2 gap-2">
        <button type="button" className="button h-16" onClick={close}>
          {doorCopy.cancel}
        </button>
        <PendingButton type="submit" className="button-danger h-16" pending={isPending}>
          {label}
        </PendingButton>
      </div>
    </form>
  )
}
