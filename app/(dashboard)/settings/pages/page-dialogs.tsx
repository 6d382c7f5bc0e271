'use client'
/** Dialogs that add or edit a product or event. */
import { useState } from 'react'
import { FormDialog } from '@/app/_components/dialog-button'
import { Choice, Choices, type FormAction, OriginalValues, RadioChoices, Submit, TextField, useForm } from '@/app/_components/form'
import { dialogCopy } from '@/app/copy/dialog'
import { settingsCopy } from '@/app/copy/settings'
import type { CheckoutPage } from '@/lib/accounts/checkout-pages'
import { localIn } from '@/lib/core/time'
import { add, update } from './actions'

const copy = settingsCopy.pages
const OFFLINE_OPTIONS = ['offlineAdmission', 'offlineNames', 'offlineSearch'] as const

export const AddCheckoutPage = ({ timeZone }: { timeZone: string }) => (
  <FormDialog label={copy.add} isMain title={copy.addTitle} done={copy.added}>
    {(onDone) => <CheckoutPageForm action={add} timeZone={timeZone} labels={[copy.add, copy.adding]} onDone={onDone} />}
  </FormDialog>
)

export const EditCheckoutPage = ({ page, timeZone }: { page: CheckoutPage; timeZone: string }) => (
  <FormDialog label={copy.edit} accessibleName={copy.editNamed(page.name)} title={copy.editTitle(page.name)} done={copy.saved}>
    {(onDone) => (
      <CheckoutPageForm action={update} page={page} timeZone={timeZone} labels={[dialogCopy.save, dialogCopy.saving]} onDone={onDone} />
    )}
  </FormDialog>
)

type FormProps = {
  action: FormAction<string>
  page?: CheckoutPage
  timeZone: string
  /** The labels of the submit button, normally and while the action runs. */
  labels: [label: string, pendingLabel: string]
  onDone: (name: string) => void
}

/** The default values of a new product or event. */
const DEFAULTS = { entryPolicy: 'single', offlineAdmission: true, offlineNames: true, offlineSearch: false } as const

/** Returns the original values of the edit form's fields: times as they are stored, and the others as the browser submits them. */
const toOriginalValues = ({ name, entryPolicy, startsAt, endsAt, capacity, ...page }: CheckoutPage) => ({
  name,
  entryPolicy,
  startsAt,
  endsAt,
  capacity: String(capacity ?? ''),
  ...Object.fromEntries(OFFLINE_OPTIONS.map((option) => [option, page[option] ? 'on' : ''])),
})

function CheckoutPageForm({ action, page: currentPage, timeZone: currentZone, labels, onDone }: FormProps) {
  // The page might be rendered again while the form is open. The fields keep their values, so the original values must not change.
  const [{ page, timeZone }] = useState({ page: currentPage, timeZone: currentZone })
  const { props, errors, pending } = useForm(action, onDone)
  const [label, pendingLabel] = labels
  return (
    <form {...props} className="flex flex-col gap-4">
      {page ? <input type="hidden" name="id" value={page.id} /> : null}
      {page ? <OriginalValues values={toOriginalValues(page)} /> : null}
      <input type="hidden" name="timeZone" value={timeZone} />
      <TextField label={copy.name} error={errors.name} name="name" defaultValue={page?.name} maxLength={200} />
      <RadioChoices
        legend={copy.policy}
        name="entryPolicy"
        options={settingsCopy.policies}
        selected={(page ?? DEFAULTS).entryPolicy}
        error={errors.entryPolicy}
      />
      {(['startsAt', 'endsAt'] as const).map((name) => (
        <TextField
          key={name}
          label={copy[name]}
          hint={copy.optional(timeZone)}
          error={errors[name]}
          type="datetime-local"
          name={name}
          defaultValue={localIn(timeZone, page?.[name])}
        />
      ))}
      <TextField label={copy.capacity} error={errors.capacity} type="number" min={1} name="capacity" defaultValue={page?.capacity ?? ''} />
      <Choices legend={copy.offline}>
        {OFFLINE_OPTIONS.map((name) => {
          const [label, hint] = copy.offlineOptions[name]
          return <Choice key={name} type="checkbox" name={name} value="on" label={label} hint={hint} checked={(page ?? DEFAULTS)[name]} />
        })}
      </Choices>
      <Submit label={label} pendingLabel={pendingLabel} pending={pending} errors={errors} />
    </form>
  )
}
