'use client'
/** Dialogs for adding and editing a product or event. */
import { useState } from 'react'
import { Choice, Choices, OriginalValues, RadioChoices, Submit, TextField, useForm } from '@/app/_components/form'
import { FormDialog } from '@/app/_components/form-dialog'
import { dialogCopy } from '@/app/copy/dialog'
import { settingsCopy } from '@/app/copy/settings'
import type { CheckoutPage } from '@/lib/accounts/checkout-pages'
import { localIn } from '@/lib/core/time'
import { add, update } from './actions'

const copy = settingsCopy.pages
const OFFLINE_OPTIONS = Object.keys(copy.offlineOptions) as (keyof typeof copy.offlineOptions)[]

export const AddCheckoutPage = ({ timeZone }: { timeZone: string }) => (
  <FormDialog label={copy.add} isMain title={copy.addTitle}>
    {(onSuccess) => <CheckoutPageForm timeZone={timeZone} onSuccess={onSuccess} />}
  </FormDialog>
)

export const EditCheckoutPage = ({ page, timeZone }: { page: CheckoutPage; timeZone: string }) => (
  <FormDialog label={copy.edit} accessibleName={copy.editAccessibleName(page.name)} title={copy.editTitle(page.name)}>
    {(onSuccess) => <CheckoutPageForm page={page} timeZone={timeZone} onSuccess={onSuccess} />}
  </FormDialog>
)

type FormProps = {
  /** The product or event to edit. Undefined for a new one. */
  page?: CheckoutPage
  timeZone: string
  onSuccess: (message: string) => void
}

/** The default values of a new product or event. */
const DEFAULTS = { entryPolicy: 'single', offlineAdmission: true, offlineNames: true, offlineSearch: false } as const

/** Returns the original values of the edit form's fields: times as stored, and other values as the browser submits them. */
const toOriginalValues = ({ name, entryPolicy, startsAt, endsAt, capacity, ...page }: CheckoutPage) => ({
  name,
  entryPolicy,
  startsAt,
  endsAt,
  capacity: String(capacity ?? ''),
  ...Object.fromEntries(OFFLINE_OPTIONS.map((option) => [option, page[option] ? 'on' : ''])),
})

function CheckoutPageForm({ page: currentPage, timeZone: currentZone, onSuccess }: FormProps) {
  // The page might re-render while the form is open. The fields keep their values, so the original values must not change.
  const [{ page, timeZone }] = useState({ page: currentPage, timeZone: currentZone })
  const { props, errors, pending } = useForm(page ? update : add, onSuccess)
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
      <Submit
        label={page ? dialogCopy.save : copy.add}
        pendingLabel={page ? dialogCopy.saving : copy.adding}
        pending={pending}
        errors={errors}
      />
    </form>
  )
}
