'use client'
/** The forms for creating and rotating an API key. Lazy-loaded, to keep them out of the initial page load. */
import { useState } from 'react'
import { Choice, Choices, Field, Submit, TextField, useForm } from '@/app/_components/form'
import { keysCopy as copy } from '@/app/copy/keys'
import type { Scope } from '@/lib/accounts/scopes'
import { type CreatedKey, create, type RotatedKey, rotate } from './actions'

const EXPIRIES = ['never', '30', '90', '365', 'date'] as const
const OVERLAPS = ['0', '1h', '24h', '7d'] as const

export type KeyFormProps = {
  /** The scopes that can be selected individually. */
  scopes: { scope: Scope; label: string }[]
  /** Today in the seller's time zone, as `YYYY-MM-DD`. */
  today: string
}

export function KeyForm({ scopes, today, onCreated }: KeyFormProps & { onCreated: (created: CreatedKey) => void }) {
  const { props, errors, pending } = useForm(create, onCreated)
  const [isLimited, setLimited] = useState(true)
  const [expiry, setExpiry] = useState('never')
  return (
    <form {...props} className="flex flex-col gap-4 [&_:is(input,select)]:scroll-mb-20">
      <TextField label={copy.name} hint={copy.nameHint} error={errors.name} name="name" maxLength={100} />
      <Choices legend={copy.access} error={errors.scopes}>
        <Choice type="radio" name="access" value="some" label={copy.some} checked onChange={() => setLimited(true)} />
        {isLimited ? (
          <div className="ml-6 grid sm:grid-cols-2 sm:gap-x-6">
            {scopes.map(({ scope, label }) => (
              <Choice
                key={scope}
                type="checkbox"
                name="scopes"
                value={scope}
                label={
                  <>
                    {label} <code className="ml-1 font-mono text-quiet text-xs sm:ml-0 sm:block">{scope}</code>
                  </>
                }
                invalid={errors.scopes !== undefined}
              />
            ))}
          </div>
        ) : null}
        <Choice type="radio" name="access" value="full" label={copy.full} hint={copy.fullHint} onChange={() => setLimited(false)} />
      </Choices>
      <Field label={copy.expiry}>
        {(attributes) => (
          <select {...attributes} className="field" name="expiry" value={expiry} onChange={(event) => setExpiry(event.target.value)}>
            {EXPIRIES.map((value) => (
              <option key={value} value={value}>
                {copy.expiries[value]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {expiry === 'date' ? <TextField label={copy.day} hint={copy.dayHint} error={errors.day} type="date" name="day" min={today} /> : null}
      {/* The button stays visible while the dialog is scrolled. The negative offsets cancel the dialog's padding. */}
      <div className="sticky -bottom-5 -mx-5 -mb-5 border-line border-t bg-card px-5 py-4">
        <Submit label={copy.create} pendingLabel={copy.creating} pending={pending} errors={errors} />
      </div>
    </form>
  )
}

export function RotateForm({ id, onRotated }: { id: string; onRotated: (rotated: RotatedKey) => void }) {
  const { props, errors, pending } = useForm(rotate, onRotated)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={id} />
      <Choices legend={copy.overlap} error={errors.overlap}>
        {OVERLAPS.map((overlap) => (
          <Choice key={overlap} type="radio" name="overlap" value={overlap} label={copy.overlaps[overlap]} checked={overlap === '24h'} />
        ))}
      </Choices>
      <Submit label={copy.rotateKey} pendingLabel={copy.rotating} pending={pending} errors={errors} />
    </form>
  )
}
