'use client'
/** The form for editing a customer. */
import { apiRequest } from '@/app/_components/api-request'
import { CopyFormRequest } from '@/app/_components/copy-form-request'
import { OriginalValues, Submit, TextField, useForm, useVersion } from '@/app/_components/form'
import { describeChanges } from '@/app/_components/form-state'
import { customerCopy as copy } from '@/app/copy/customer'
import { dialogCopy } from '@/app/copy/dialog'
import { recordCopy } from '@/app/copy/record'
import { editCustomer } from './customer-actions'
import { ADDRESS_FIELDS, buildCustomerBody, type EditableCustomer, FIELDS } from './customer-body'

/** Returns the values of the form's fields by name. */
const toValues = (customer: EditableCustomer): Record<string, string | undefined> =>
  Object.fromEntries([...FIELDS.map((name) => [name, customer[name]]), ...ADDRESS_FIELDS.map((name) => [name, customer.address?.[name]])])

type Props = { customer: EditableCustomer; origin: string; onSuccess: (message: string) => void }

/** @param origin the server's public origin, for the copyable API request */
export default function CustomerForm({ customer: current, origin, onSuccess }: Props) {
  const { version: customer, notices, follow } = useVersion(current, (form, latest) => describeChanges(form, toValues(latest)))
  const { props, errors, pending, check } = useForm(follow(editCustomer), onSuccess)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={customer.id} />
      <input type="hidden" name="etag" value={customer.etag} />
      <OriginalValues values={toValues(customer)} />
      <div className="grid gap-4 sm:grid-cols-2">
        {FIELDS.map((name) => (
          <TextField
            key={name}
            label={copy.fields[name]}
            error={errors[name]}
            notice={notices[name]}
            className="field w-full"
            name={name}
            defaultValue={customer[name]}
            maxLength={500}
          />
        ))}
      </div>
      <fieldset className="grid gap-4 sm:grid-cols-2">
        <legend className="mb-2 font-medium text-sm">{recordCopy.address}</legend>
        {ADDRESS_FIELDS.map((name) => (
          <TextField
            key={name}
            label={copy.fields[name]}
            notice={notices[name]}
            className="field w-full"
            name={name}
            defaultValue={customer.address?.[name]}
            maxLength={500}
          />
        ))}
      </fieldset>
      <Submit label={dialogCopy.save} pendingLabel={dialogCopy.saving} pending={pending} errors={errors} />
      <CopyFormRequest
        check={check}
        command={(form) => apiRequest(origin, 'PATCH', `/customers/${customer.id}`, buildCustomerBody(form))}
      />
    </form>
  )
}
