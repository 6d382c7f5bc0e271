'use client'
/** Creates an API key, then shows it once. */
import { useState } from 'react'
import { Choice, Choices, Field, Submit, useFirstField, useForm } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import type { Scope } from '@/lib/accounts/scopes'
import { SecretDialog, SecretOnce } from '../_parts/secret-once'
import { type CreatedKey, create } from './actions'

const copy = settingsCopy.keys
const EXPIRIES = ['never', '30', '90', '365', 'date'] as const

type Props = {
  /** The scopes that can be selected one by one. */
  scopes: { scope: Scope; label: string }[]
  /** Today in the seller's time zone, as `YYYY-MM-DD`. */
  today: string
}

export function CreateKey({ scopes, today }: Props) {
  return (
    <SecretDialog<CreatedKey>
      label={copy.create}
      isMain
      title={copy.create}
      madeTitle={copy.secretTitle}
      form={(onMade) => <KeyForm scopes={scopes} today={today} onCreated={onMade} />}
      done={({ name }) => copy.created(name)}
    >
      {({ key }) => (
        <SecretOnce label={copy.secret} text={key}>
          {copy.secretHint}
        </SecretOnce>
      )}
    </SecretDialog>
  )
}

function KeyForm({ scopes, today, onCreated }: Props & { onCreated: (created: CreatedKey) => void }) {
  const { props, errors, pending } = useForm(create, onCreated)
  const first = useFirstField()
  const [some, setSome] = useState(true)
  const [expiry, setExpiry] = useState('never')
  return (
    <form {...props} className="flex flex-col gap-4">
      <Field label={copy.name} hint={copy.nameHint} error={errors.name}>
        {(ties) => <input {...ties} ref={first} className="field" name="name" maxLength={100} autoComplete="off" />}
      </Field>
      <Choices legend={copy.access} error={errors.scopes}>
        <Choice type="radio" name="access" value="some" label={copy.some} checked onChange={() => setSome(true)} />
        {some ? (
          <div className="ml-6">
            {scopes.map(({ scope, label }) => (
              <Choice key={scope} type="checkbox" name="scopes" value={scope} label={label} invalid={errors.scopes !== undefined} />
            ))}
          </div>
        ) : null}
        <Choice type="radio" name="access" value="full" label={copy.full} hint={copy.fullHint} onChange={() => setSome(false)} />
      </Choices>
      <Field label={copy.expiry}>
        {(ties) => (
          <select {...ties} className="field" name="expiry" value={expiry} onChange={(event) => setExpiry(event.target.value)}>
            {EXPIRIES.map((value) => (
              <option key={value} value={value}>
                {copy.expiries[value]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {expiry === 'date' ? (
        <Field label={copy.day} hint={copy.dayHint} error={errors.day}>
          {(ties) => <input {...ties} className="field" type="date" name="day" min={today} />}
        </Field>
      ) : null}
      <Submit label={copy.create} pendingLabel={copy.creating} pending={pending} errors={errors} />
    </form>
  )
}
