/** Takes a check-in back: a reason first, then a second tap. It stands in the page, so that the next scan is never blocked. */
import { type FormEvent, useState } from 'react'
import { doorWords } from '../copy/door'
import { focusField } from './focus-field'

/** @param onUndo resolves with a sentence where it could not be done */
export function UndoCheckIn({ onUndo }: { onUndo: (reason: string) => Promise<string | undefined> }) {
  const [open, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const [pending, setPending] = useState(false)
  const [complaint, setComplaint] = useState<string>()

  async function submit(event: FormEvent) {
    event.preventDefault()
    setPending(true)
    const refusal = await onUndo(reason.trim())
    setPending(false)
    setComplaint(refusal)
    if (refusal === undefined) setOpen(false)
  }

  if (!open) {
    return (
      <button type="button" className="button h-11 w-full" onClick={() => setOpen(true)}>
        {doorWords.undo}
      </button>
    )
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <label className="flex flex-col gap-1 text-sm">
        {doorWords.undoReason}
        <input
          ref={focusField}
          className="field h-11 text-base"
          placeholder={doorWords.undoReasonHint}
          autoComplete="off"
          required
          pattern=".*\S.*"
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      {complaint ? (
        <p role="alert" className="text-bad text-sm">
          {complaint}
        </p>
      ) : null}
      <div className="grid grid-cols-2 gap-2">
        <button type="button" className="button h-11" onClick={() => setOpen(false)}>
          {doorWords.undoKeep}
        </button>
        <button type="submit" className="button-danger h-11" disabled={pending}>
          {doorWords.undoSure}
        </button>
      </div>
    </form>
  )
}
