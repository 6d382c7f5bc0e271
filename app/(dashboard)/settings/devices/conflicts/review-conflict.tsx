'use client'
/** The button and the form for marking a conflict as reviewed, with a note. */
import { Submit, TextField, useForm } from '@/app/_components/form'
import { FormDialog } from '@/app/_components/form-dialog'
import { conflictCopy as copy } from '@/app/copy/conflicts'
import { review } from './actions'

export function ReviewConflict({ id, name }: { id: string; name: string }) {
  return (
    <FormDialog label={copy.review} accessibleName={name} title={copy.reviewTitle} description={name}>
      {(onSuccess) => <ReviewForm id={id} onSuccess={onSuccess} />}
    </FormDialog>
  )
}

function ReviewForm({ id, onSuccess }: { id: string; onSuccess: (result: string) => void }) {
  const { props, errors, pending } = useForm(review, onSuccess)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={id} />
      <TextField label={copy.note} hint={copy.noteHint} error={errors.note} name="note" maxLength={200} />
      <Submit label={copy.submit} pendingLabel={copy.pending} pending={pending} errors={errors} />
    </form>
  )
}
