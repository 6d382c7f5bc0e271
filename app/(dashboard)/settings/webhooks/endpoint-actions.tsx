'use client'
/** Buttons that enable, disable, test or delete an endpoint, and send events again. */
import { Field, Submit, useForm } from '@/app/_components/form'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { ActionButton, ConfirmButton, FormDialog } from '../_parts/dialog-button'
import { disable, enable, remove, resend, resendFailed, test } from './actions'

type Props = { id: string }

export const TestEndpoint = ({ id }: Props) => <ActionButton label={copy.test} work={() => test(id)} />

export const EnableEndpoint = ({ id }: Props) => <ActionButton label={copy.enable} work={() => enable(id)} />

export const DisableEndpoint = ({ id }: Props) => (
  <ConfirmButton
    label={copy.disable}
    title={copy.disableTitle}
    description={copy.disableHint}
    yes={copy.disable}
    done={copy.disabled}
    work={() => disable(id)}
  />
)

export const DeleteEndpoint = ({ id }: Props) => (
  <ConfirmButton
    label={copy.delete}
    title={copy.deleteTitle}
    description={copy.deleteHint}
    yes={copy.delete}
    done={copy.deleted}
    work={() => remove(id)}
  />
)

export const ResendEvent = ({ id, eventId }: Props & { eventId: string }) => (
  <ActionButton label={copy.resend} work={() => resend(id, eventId)} />
)

/** @param today today in the seller's time zone, as `YYYY-MM-DD` */
export const ResendFailed = ({ id, today }: Props & { today: string }) => (
  <FormDialog label={copy.resendFailed} title={copy.resendFailedTitle} done={(message) => message}>
    {(onDone) => <ResendForm id={id} today={today} onDone={onDone} />}
  </FormDialog>
)

function ResendForm({ id, today, onDone }: Props & { today: string; onDone: (message: string) => void }) {
  const { props, errors, pending } = useForm(resendFailed, onDone)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={id} />
      <Field label={copy.since} hint={copy.sinceHint} error={errors.since}>
        {(ties) => <input {...ties} className="field" type="date" name="since" defaultValue={today} max={today} />}
      </Field>
      <Submit label={copy.resendFailed} pendingLabel={copy.resending} pending={pending} errors={errors} />
    </form>
  )
}
