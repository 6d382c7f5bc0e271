'use client'
/** A page in a box: added, or changed. */
import { useState } from 'react'
import { Choice, Choices, Field, type FormAction, Submit, useFirstField, useForm } from '@/app/_components/form'
import { settingsWords } from '@/app/copy/settings'
import type { EntryPolicy, Page } from '@/lib/accounts/pages'
import { Box } from '../_parts/box'
import { useTell } from '../_parts/teller'
import { add, change } from './actions'

const words = settingsWords.pages
const POLICIES: readonly EntryPolicy[] = ['single', 'multiple']

export function AddPage() {
  const [open, setOpen] = useState(false)
  const tell = useTell()
  function onDone(name: string) {
    setOpen(false)
    tell(words.added(name))
  }
  return (
    <Box label={words.add} isMain title={words.addTitle} open={open} onOpenChange={setOpen}>
      <PageForm action={add} labels={[words.add, words.adding]} onDone={onDone} />
    </Box>
  )
}

export function ChangePage({ page }: { page: Page }) {
  const [open, setOpen] = useState(false)
  const tell = useTell()
  function onDone(name: string) {
    setOpen(false)
    tell(words.changed(name))
  }
  return (
    <Box label={words.change} labelOf={words.changeOf(page.name)} title={words.changeTitle(page.name)} open={open} onOpenChange={setOpen}>
      <PageForm action={change} page={page} labels={[settingsWords.save, settingsWords.saving]} onDone={onDone} />
    </Box>
  )
}

type FormProps = { action: FormAction<string>; page?: Page; labels: [label: string, pending: string]; onDone: (name: string) => void }

function PageForm({ action, page, labels, onDone }: FormProps) {
  const { props, complaints, pending } = useForm(action, onDone)
  const first = useFirstField()
  const [label, pendingLabel] = labels
  return (
    <form {...props} className="flex flex-col gap-4">
      {page ? <input type="hidden" name="id" value={page.id} /> : null}
      <Field label={words.name} complaint={complaints.name}>
        {(ties) => (
          <input {...ties} ref={first} className="field" name="name" defaultValue={page?.name} maxLength={200} autoComplete="off" />
        )}
      </Field>
      <Choices legend={words.policy} complaint={complaints.entryPolicy}>
        {POLICIES.map((policy) => (
          <Choice
            key={policy}
            type="radio"
            name="entryPolicy"
            value={policy}
            label={settingsWords.policies[policy].name}
            hint={settingsWords.policies[policy].does}
            checked={policy === (page?.entryPolicy ?? 'single')}
          />
        ))}
      </Choices>
      <Submit label={label} pendingLabel={pendingLabel} pending={pending} complaints={complaints} />
    </form>
  )
}
