'use client'
/** The dialogs that edit and erase a customer. */
import { Field, Submit, useFirstField, useForm } from '@/app/_components/form'
import { customerCopy as copy } from '@/app/copy/customer'
import { recordCopy } from '@/app/copy/record'
import { settingsCopy } from '@/app/copy/settings'
import { Announcer } from '../../settings/_parts/announcer'
import { ConfirmButton, FormDialog } from '../../settings/_parts/dialog-button'
import { editCustomer, erase } from './customer-actions'

type Address = Partial<Record<(typeof ADDRESS)[number], string>>
export type EditedCustomer = Partial<Record<(typeof TEXTS)[number], string>> & {
  id: string
  email: string
  updatedAt: string
  address?: Address
}

const TEXTS = ['email', 'name', 'companyName', 'phone', 'billingEmail', 'taxId', 'taxIdType'] as const
const ADDRESS = ['line1', 'line2', 'postalCode', 'city', 'state', 'country'] as const

/** @param mayErase whether the user may erase customers */
export const CustomerDialogs = ({ customer, title, mayErase }: { customer: EditedCustomer; title: string; mayErase: boolean }) => (
  <Announcer>
    <div className="flex flex-wrap gap-2">
      <FormDialog label={copy.edit} title={copy.editTitle} description={copy.editHint} done={(message) => message}>
        {(onDone) => <CustomerForm customer={customer} onDone={onDone} />}
      </FormDialog>
      {mayErase ? (
        <ConfirmButton
          label={copy.erase}
          title={copy.eraseTitle(title)}
          description={copy.eraseHint}
          yes={copy.eraseYes}
          done={copy.erased}
          work={() => erase(customer.id)}
        />
      ) : null}
    </div>
  </Announcer>
)

function CustomerForm({ customer, onDone }: { customer: EditedCustomer; onDone: (message: string) => void }) {
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
      <Submit label={settingsCopy.save} pendingLabel={settingsCopy.saving} pending={pending} errors={errors} />
    </form>
  )
}
