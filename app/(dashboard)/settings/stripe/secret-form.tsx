'use client'
/** The form for the Stripe signing secret. The stored secret is never shown. */
import { useAnnounce } from '@/app/_components/announcer'
import { Submit, TextField, useForm } from '@/app/_components/form'
import { dialogCopy } from '@/app/copy/dialog'
import { stripeCopy as copy } from '@/app/copy/stripe'
import type { SecretState } from '@/lib/sync/stripe/account'
import { save } from './actions'

export function SecretForm({ state }: { state: SecretState }) {
  const announce = useAnnounce()
  const { props, errors, pending } = useForm(save, () => {
    props.ref.current?.reset()
    announce(copy.saved)
  })
  return (
    <form {...props} className="flex max-w-md flex-col gap-4">
      <p className={`text-sm ${state === 'set' ? 'text-good' : 'text-warn'}`}>{copy.secretStates[state]}</p>
      <TextField
        label={copy.secret}
        hint={copy.secretHint}
        error={errors.secret}
        className="field font-mono"
        name="secret"
        type="password"
        maxLength={300}
        spellCheck={false}
      />
      <Submit label={dialogCopy.save} pendingLabel={dialogCopy.saving} pending={pending} errors={errors} />
    </form>
  )
}
