'use client'
/** Forms that keep what was typed, and say what is wrong beside the field that it is about. */
import { type FormEvent, type ReactNode, startTransition, useActionState, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { type Complaints, type Reply, WHOLE } from './form-reply'

export type FormAction<Done> = (before: Reply<Done>, form: FormData) => Promise<Reply<Done>>

/**
 * A form's state. Spread `props` on the form.
 *
 * @param onDone told once for each time that the action has done its work
 */
export function useForm<Done>(action: FormAction<Done>, onDone?: (done: Done) => void) {
  const [reply, dispatch, pending] = useActionState<Reply<Done>, FormData>(action, {})
  const ref = useRef<HTMLFormElement>(null)
  const tell = useEffectEvent((done: Done) => onDone?.(done))

  useEffect(() => {
    if (reply.complaints) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    else if (reply.done !== undefined) tell(reply.done)
  }, [reply])

  /** Sent by hand, for React empties a form that it sends itself. Before the page has woken up the browser posts it. */
  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    startTransition(() => dispatch(form))
  }

  const complaints: Complaints = reply.complaints ?? {}
  return { props: { ref, action: dispatch, onSubmit, noValidate: true }, complaints, pending, done: reply.done }
}

/** Puts the caret into a box's first field, where that opens no keyboard on the screen. */
export function useFirstField() {
  const ref = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (window.matchMedia('(pointer: fine)').matches) ref.current?.focus()
  }, [])
  return ref
}

const idsOf = (...ids: (string | false)[]) => ids.filter(Boolean).join(' ') || undefined

type FieldProps = {
  label: string
  hint?: string | undefined
  complaint?: string | undefined
  /** The field itself, with what ties it to its label, hint and complaint. */
  children: (ties: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode
}

export function Field({ label, hint, complaint, children }: FieldProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1 text-sm">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': idsOf(hint !== undefined && `${id}-hint`, complaint !== undefined && `${id}-complaint`),
        'aria-invalid': complaint !== undefined,
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-quiet">
          {hint}
        </p>
      )}
      {complaint === undefined ? null : (
        <p id={`${id}-complaint`} className="text-bad">
          {complaint}
        </p>
      )}
    </div>
  )
}

/** Choices of which one or several hold, as a group with a name. */
export function Choices({ legend, complaint, children }: { legend: string; complaint?: string | undefined; children: ReactNode }) {
  const id = useId()
  return (
    <fieldset className="flex flex-col gap-1 text-sm" aria-describedby={complaint === undefined ? undefined : id}>
      <legend className="mb-1 font-medium">{legend}</legend>
      {children}
      {complaint === undefined ? null : (
        <p id={id} className="text-bad">
          {complaint}
        </p>
      )}
    </fieldset>
  )
}

type ChoiceProps = {
  type: 'radio' | 'checkbox'
  name: string
  value: string
  label: string
  hint?: string
  checked?: boolean
  invalid?: boolean
  onChange?: (checked: boolean) => void
}

export function Choice({ type, name, value, label, hint, checked = false, invalid = false, onChange }: ChoiceProps) {
  return (
    <label className="-mx-2 flex min-h-8 items-start gap-2.5 rounded-md px-2 py-1 hover:bg-hover">
      <input
        type={type}
        name={name}
        value={value}
        defaultChecked={checked}
        aria-invalid={invalid || undefined}
        onChange={(event) => onChange?.(event.target.checked)}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <span>
        {label}
        {hint === undefined ? null : <span className="block text-quiet">{hint}</span>}
      </span>
    </label>
  )
}

type PasswordProps = {
  name: string
  label: string
  autoComplete: 'current-password' | 'new-password'
  words: { show: string; hide: string }
  hint?: string
  complaint?: string | undefined
}

/** A password that may be looked at while it is typed. */
export function PasswordField({ name, label, autoComplete, words, hint, complaint }: PasswordProps) {
  const [shown, setShown] = useState(false)
  return (
    <Field label={label} hint={hint} complaint={complaint}>
      {(ties) => (
        <div className="flex gap-2">
          <input
            {...ties}
            className="field min-w-0 grow text-base"
            name={name}
            type={shown ? 'text' : 'password'}
            autoComplete={autoComplete}
            spellCheck={false}
          />
          <button
            type="button"
            className="button"
            aria-label={`${shown ? words.hide : words.show}: ${label}`}
            onClick={() => setShown(!shown)}
          >
            {shown ? words.hide : words.show}
          </button>
        </div>
      )}
    </Field>
  )
}

/** The complaint about the form as a whole, and the button that sends it. */
export function Submit({
  label,
  pendingLabel,
  pending,
  complaints,
}: {
  label: string
  pendingLabel: string
  pending: boolean
  complaints: Complaints
}) {
  return (
    <div className="flex flex-col gap-2">
      <p role="alert" className="text-bad text-sm empty:hidden">
        {complaints[WHOLE]}
      </p>
      <button type="submit" className="button-primary self-start" disabled={pending}>
        {pending ? pendingLabel : label}
      </button>
    </div>
  )
}
