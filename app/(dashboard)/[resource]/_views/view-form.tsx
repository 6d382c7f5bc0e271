'use client'
/** The form that saves a view of a table. */
import { Choice, Submit, TextField, useFirstField, useForm } from '@/app/_components/form'
import { savedViewsCopy as copy } from '@/app/copy/saved-views'
import { save } from './actions'

type Props = { resource: string; query: string; onDone: (name: string) => void }

export default function ViewForm({ resource, query, onDone }: Props) {
  const { props, errors, pending } = useForm(save, onDone)
  const first = useFirstField()
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="resource" value={resource} />
      <input type="hidden" name="query" value={query} />
      <TextField label={copy.name} error={errors.name} ref={first} name="name" />
      <Choice type="checkbox" name="shared" value="yes" label={copy.shared} />
      <Submit label={copy.submit} pendingLabel={copy.saving} pending={pending} errors={errors} />
    </form>
  )
}
