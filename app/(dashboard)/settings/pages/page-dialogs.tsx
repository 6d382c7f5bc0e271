'use client'
/** Dialogs that add or edit a product or event. */
import { useState } from 'react'
import { Choice, Choices, Field, type FormAction, Submit, useFirstField, useForm } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import type { CheckoutPage, EntryPolicy } from '@/lib/accounts/checkout-pages'
import { useAnnounce } from '../_parts/announcer'
import { DialogButton } from '../_parts/dialog-button'
import { add, update } from './actions'

const copy = settingsCopy.pages
const POLICIES: readonly EntryPolicy[] = ['single', 'multiple']

export function AddCheckoutPage() {
  const [open, setOpen] = useState(false)
  const announce = useAnnounce()
  function onDone(name: string) {
    setOpen(false)
    announce(copy.added(name))
  }
  return (
    <DialogButton label={copy.add} isMain title={copy.addTitle} open={open} onOpenChange={setOpen}>
      <CheckoutPageForm action={add} labels={[copy.add, copy.adding]} onDone={onDone} />
    </DialogButton>
  )
}

export function EditCheckoutPage({ page }: { page: CheckoutPage }) {
  const [open, setOpen] = useState(false)
  const announce = useAnnounce()
  function onDone(name: string) {
    setOpen(false)
    announce(copy.saved(name))
  }
  return (
    <DialogButton
      label={copy.edit}
      accessibleName={copy.editNamed(page.name)}
      title={copy.editTitle(page.name)}
      open={open}
      onOpenChange={setOpen}
    >
      <CheckoutPageForm action={update} page={page} labels={[settingsCopy.save, settingsCopy.saving]} onDone={onDone} />
    </DialogButton>
  )
}

type FormProps = {
  action: FormAction<string>
  page?: CheckoutPage
  labels: [label: string, pending: string]
  onDone: (name: string) => void
}

function CheckoutPageForm({ action, page, labels, onDone }: FormProps) {
  const { props, errors, pending } = useForm(action, onDone)
  const first = useFirstField()
  const [label, pendingLabel] = labels
  return (
    <form {...props} className="flex flex-col gap-4">
      {page ? <input type="hidden" name="id" value={page.id} /> : null}
      <Field label={copy.name} error={errors.name}>
        {(ties) => (
          <input {...ties} ref={first} className="field" name="name" defaultValue={page?.name} maxLength={200} autoComplete="off" />
        )}
      </Field>
      <Choices legend={copy.policy} error={errors.entryPolicy}>
        {POLICIES.map((policy) => (
          <Choice
            key={policy}
            type="radio"
            name="entryPolicy"
            value={policy}
            label={settingsCopy.policies[policy].name}
            hint={settingsCopy.policies[policy].description}
            checked={policy === (page?.entryPolicy ?? 'single')}
          />
        ))}
      </Choices>
      <Submit label={label} pendingLabel={pendingLabel} pending={pending} errors={errors} />
    </form>
  )
}
