'use client'
/** Dialogs for editing and erasing a customer. The form is lazy-loaded to keep it out of the initial page load. */
import { Announcer } from '@/app/_components/announcer'
import { apiRequest } from '@/app/_components/api-request'
import { ConfirmButton } from '@/app/_components/confirm-button'
import { FormDialog } from '@/app/_components/form-dialog'
import { onDemand } from '@/app/_components/on-demand'
import { customerDialogCopy as copy } from '@/app/copy/customer-dialogs'
import { erase } from './customer-actions'
import type { EditableCustomer } from './customer-body'

const CustomerForm = onDemand(() => import('./customer-form').then((module) => module.default))

type Props = {
  customer: EditableCustomer
  /** The customer's name; if there is none, their email address or ID. */
  title: string
  /** Whether the user may erase customers. */
  canErase: boolean
  /** The server's public origin, for the copyable API requests. */
  origin: string
}

export const CustomerDialogs = ({ customer, title, canErase, origin }: Props) => (
  <Announcer>
    <div className="flex flex-wrap gap-2">
      <FormDialog label={copy.edit} title={copy.editTitle} description={copy.editHint} loadContent={CustomerForm.load}>
        {(onSuccess) => <CustomerForm customer={customer} origin={origin} onSuccess={onSuccess} />}
      </FormDialog>
      {canErase ? (
        <ConfirmButton
          {...copy.erase(title)}
          request={apiRequest(origin, 'POST', `/customers/${customer.id}/erase`)}
          action={() => erase(customer.id)}
        />
      ) : null}
    </div>
  </Announcer>
)
