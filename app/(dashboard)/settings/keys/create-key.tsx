'use client'
/** Makes a key in a box: what it is for, what it may do, when it ends; then the key, this once. */
import { useState } from 'react'
import { Choice, Choices, Field, Submit, useFirstField, useForm } from '@/app/_components/form'
import { settingsWords } from '@/app/copy/settings'
import type { Scope } from '@/lib/accounts/scopes'
import { Box } from '../_parts/box'
import { SecretOnce } from '../_parts/secret-once'
import { useTell } from '../_parts/teller'
import { create, type MadeKey } from './actions'

const words = settingsWords.keys
const EXPIRIES = ['never', '30', '90', '365', 'date'] as const

type Props = {
  /** Those that may be chosen one by one. */
  scopes: Exclude<Scope, 'full'>[]
  /** Today where the seller is, `YYYY-MM-DD`. */
  today: string
}

export function CreateKey({ scopes, today }: Props) {
  const [open, setOpen] = useState(false)
  const [made, setMade] = useState<MadeKey>()
  const tell = useTell()

  function change(next: boolean) {
    setOpen(next)
    if (next) setMade(undefined)
    else if (made) tell(words.created(made.name))
  }

  return (
    <Box label={words.create} isMain title={made ? words.madeTitle : words.create} open={open} onOpenChange={change}>
      {made ? (
        <>
          <SecretOnce label={words.secret} text={made.key}>
            {words.made}
          </SecretOnce>
          <button type="button" className="button" onClick={() => change(false)}>
            {settingsWords.done}
          </button>
        </>
      ) : (
        <KeyForm scopes={scopes} today={today} onMade={setMade} />
      )}
    </Box>
  )
}

function KeyForm({ scopes, today, onMade }: Props & { onMade: (made: MadeKey) => void }) {
  const { props, complaints, pending } = useForm(create, onMade)
  const first = useFirstField()
  const [some, setSome] = useState(false)
  const [expiry, setExpiry] = useState('never')
  return (
    <form {...props} className="flex flex-col gap-4">
      <Field label={words.name} hint={words.nameHint} complaint={complaints.name}>
        {(ties) => <input {...ties} ref={first} className="field" name="name" maxLength={100} autoComplete="off" />}
      </Field>
      <Choices legend={words.access} complaint={complaints.scopes}>
        <Choice type="radio" name="access" value="full" label={words.full} hint={words.fullHint} checked onChange={() => setSome(false)} />
        <Choice type="radio" name="access" value="some" label={words.some} onChange={() => setSome(true)} />
        {some ? (
          <div className="ml-6">
            {scopes.map((scope) => (
              <Choice
                key={scope}
                type="checkbox"
                name="scopes"
                value={scope}
                label={settingsWords.scopes[scope]}
                invalid={complaints.scopes !== undefined}
              />
            ))}
          </div>
        ) : null}
      </Choices>
      <Field label={words.expiry}>
        {(ties) => (
          <select {...ties} className="field" name="expiry" value={expiry} onChange={(event) => setExpiry(event.target.value)}>
            {EXPIRIES.map((value) => (
              <option key={value} value={value}>
                {words.expiries[value]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {expiry === 'date' ? (
        <Field label={words.day} hint={words.dayHint} complaint={complaints.day}>
          {(ties) => <input {...ties} className="field" type="date" name="day" min={today} />}
        </Field>
      ) : null}
      <Submit label={words.create} pendingLabel={words.creating} pending={pending} complaints={complaints} />
    </form>
  )
}
