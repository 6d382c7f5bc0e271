'use client'
/** Buttons for enabling, disabling, testing and deleting an endpoint, and for resending its events. */
import { useRouter } from 'next/navigation'
import { apiRequest } from '@/app/_components/api-request'
import { ConfirmButton } from '@/app/_components/confirm-button'
import { Submit, TextField, useForm } from '@/app/_components/form'
import { FormDialog } from '@/app/_components/form-dialog'
import { showToast } from '@/app/_components/toast'
import { webhooksCopy as copy } from '@/app/copy/webhooks'
import { ActionButton } from '../_parts/action-button'
import { disable, enable, remove, resend, resendFailed, test } from './actions'

type Props = { id: string }

export const TestEndpoint = ({ id }: Props) => <ActionButton label={copy.test} action={() => test(id)} />

/**
 * The button for enabling an endpoint. Its dialog offers to resend failed deliveries, such as those that were pending when the endpoint was
 * disabled.
 */
export function EnableEndpoint({ id, today }: Props & { today: string }) {
  const router = useRouter()
  return (
    <FormDialog label={copy.enable} title={copy.enableTitle}>
      {(onSuccess) => (
        <SinceForm
          id={id}
          today={today}
          hint={copy.enableSinceHint}
          label={copy.enable}
          pendingLabel={copy.enabling}
          action={enable}
          onSuccess={(message) => {
            router.refresh()
            onSuccess(message)
          }}
        />
      )}
    </FormDialog>
  )
}

export const DisableEndpoint = ({ id, origin }: Props & { origin: string }) => (
  <ConfirmButton
    {...copy.disable}
    request={apiRequest(origin, 'PATCH', `/webhook_endpoints/${id}`, { enabled: false })}
    action={() => disable(id)}
  />
)

export function DeleteEndpoint({ id, origin }: Props & { origin: string }) {
  const router = useRouter()
  return (
    <ConfirmButton
      {...copy.delete}
      // Shown as a toast instead, because another page opens.
      successMessage=""
      request={apiRequest(origin, 'DELETE', `/webhook_endpoints/${id}`)}
      action={async () => {
        const error = await remove(id)
        if (error !== undefined) return error
        showToast({ text: copy.deleted })
        // The deleted endpoint's page must not stay in the history.
        router.replace('/settings/webhooks')
        return undefined
      }}
    />
  )
}

export const ResendEvent = ({ id, eventId }: Props & { eventId: string }) => (
  <ActionButton label={copy.resend} action={() => resend(id, eventId)} />
)

/** The button for resending failed deliveries. */
export const ResendFailed = ({ id, today }: Props & { today: string }) => (
  <FormDialog label={copy.resendFailed} title={copy.resendFailedTitle}>
    {(onSuccess) => (
      <SinceForm
        id={id}
        today={today}
        day={today}
        hint={copy.sinceHint}
        label={copy.resendFailed}
        pendingLabel={copy.resending}
        action={resendFailed}
        onSuccess={onSuccess}
      />
    )}
  </FormDialog>
)

type SinceFormProps = Props & {
  /** Today in the seller's time zone, as `YYYY-MM-DD`. */
  today: string
  /** The initial day. If omitted, the field is empty. */
  day?: string
  hint: string
  label: string
  pendingLabel: string
  action: typeof resendFailed
  onSuccess: (message: string) => void
}

/** The form for resending the failed deliveries created since a given day. */
function SinceForm({ id, today, day, hint, label, pendingLabel, action, onSuccess }: SinceFormProps) {
  const { props, errors, pending } = useForm(action, onSuccess)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={id} />
      <TextField label={copy.since} hint={hint} error={errors.since} type="date" name="since" defaultValue={day} max={today} />
      <Submit label={label} pendingLabel={pendingLabel} pending={pending} errors={errors} />
    </form>
  )
}
