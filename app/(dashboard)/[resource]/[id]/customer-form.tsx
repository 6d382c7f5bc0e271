'use client'
/** The form that edits a customer. */
import { Field, Submit, useFirstField, useForm } from '@/app/_components/form'
import { customerCopy as copy } from '@/app/copy/customer'
import { dialogCopy } from '@/app/copy/dialog'
import { recordCopy } from '@/app/copy/record'
import { editCustomer } from './customer-actions'

type Address = Partial<Record<(typeof ADDRESS)[number], string>>
export type EditedCustomer = Partial<Record<(typeof TEXTS)[number], string>> & {
  id: string
  email: string
  updatedAt: string
  address?: Address
}

const TEXTS = ['email', 'name', 'companyName', 'phone', 'billingEmail', 'taxId', 'taxIdType'] as const
const ADDRESS = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'] as const

export default function CustomerForm({ customer, onDone }: { customer: EditedCustomer; onDone: (message: string) => void }) {
  const { props, errors, pending } = useForm(editCustomer, onDone)
  const first = useFirstField()
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={customer.id} />
      <input type="hidden" name="updatedAt" value={customer.updatedAt} />
      <div className="grid gap-4 sm:grid-cols-2">
        {TEXTS.map((name, at) => (
          <Field key={name} label={copy.fields[name]} error={errors[name]}>
            {(ties) => (
              <input
                {...ties}
                {...(at === 0 ? { ref: first } : {})}
                className="field w-full"
                name={name}
                defaultValue={customer[name]}
                maxLength={500}
                autoComplete="off"
              />
            )}
          </Field>
        ))}
      </div>
      <fieldset className="grid gap-4 sm:grid-cols-2">
        <legend className="mb-2 font-medium text-sm">{recordCopy.address}</legend>
        {ADDRESS.map((name) => (
          <Field key={name} label={copy.fields[name]}>
            {(ties) => (
              <input
                {...ties}
                className="field w-full"
                name={name}
                defaultValue={customer.address?.[name]}
                maxLength={500}
                autoComplete="off"
              />
            )}
          </Field>
        ))}
      </fieldset>
      <Submit label={dialogCopy.save} pendingLabel={dialogCopy.saving} pending={pending} errors={errors} />
    </form>
  )
}
