'use client'
/** The signing secret of the shop's Stripe endpoint: set, and never shown. */
import { Field, Submit, useForm } from '@/app/_components/form'
import { settingsWords } from '@/app/copy/settings'
import type { SecretState } from '@/lib/sync/stripe/account'
import { useTell } from '../_parts/teller'
import { save } from './actions'

const words = settingsWords.stripe

export function SecretForm({ state }: { state: SecretState }) {
  const tell = useTell()
  const { props, complaints, pending } = useForm(save, () => {
    props.ref.current?.reset()
    tell(words.saved)
  })
  return (
    <form {...props} className="flex max-w-md flex-col gap-4">
      <p className={`text-sm ${state === 'set' ? 'text-good' : 'text-warn'}`}>{words.secretStates[state]}</p>
      <Field label={words.secret} hint={words.secretHint} complaint={complaints.secret}>
        {(ties) => (
          <input
            {...ties}
            className="field font-mono"
            name="secret"
            type="password"
            maxLength={300}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <Submit label={settingsWords.save} pendingLabel={settingsWords.saving} pending={pending} complaints={complaints} />
    </form>
  )
}
