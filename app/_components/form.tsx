'use client'
/** Forms that keep their input and show each error next to its field. */
import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  startTransition,
  useActionState,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { toActionMessage } from '../action-error'
import { formCopy } from '../copy/form'
import { PAGE_USER } from '../page-user'
import { ActionMessage } from './action-message'
import { type FieldErrors, FORM_ERROR_KEY, type FormState, toLine } from './form-state'
import { usePageUser } from './page-user'
import { PendingButton } from './pending-button'

/** The maximum size of a form's values. The server rejects bodies over 64 KiB, and the field names also need space. */
const MAX_VALUES_BYTES = 60 * 1024

export type FormAction<Data, Latest = never> = (before: FormState<Data, Latest>, form: FormData) => Promise<FormState<Data, Latest>>

const isServer = typeof window === 'undefined'

/**
 * Returns an error for each field with input that the browser cannot parse, such as a date without a year. Such a field's value is empty,
 * so the action would treat it as cleared.
 */
const findBadInputErrors = (form: HTMLFormElement): FieldErrors =>
  Object.fromEntries(
    [...form.elements].flatMap((field) =>
      field instanceof HTMLInputElement && field.validity.badInput ? [[field.name, formCopy.unreadable]] : [],
    ),
  )

const focusInvalid = (form: HTMLFormElement | null) => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()

/**
 * Runs a form's action and returns the form's state. Spread `props` on the `form` element.
 *
 * @param onSuccess called once each time the action succeeds, even if the refreshed page no longer contains the form
 */
export function useForm<Data, Latest = never>(action: FormAction<Data, Latest>, onSuccess?: (data: Data) => void) {
  const pageUser = usePageUser()
  // Without JavaScript, the browser posts the form to this URL, so on the server the action must be the server action itself.
  const url = pageUser && `?${PAGE_USER}=${pageUser}`
  const [state, dispatch, pending] = useActionState<FormState<Data, Latest>, FormData>(isServer ? action : run, {}, url)
  const hasRun = useRef(false)
  const ref = useRef<HTMLFormElement>(null)
  /** Errors found before the action runs. They replace those of the previous run. */
  const [inputErrors, setInputErrors] = useState<FieldErrors>()
  const notify = useEffectEvent((data: Data) => onSuccess?.(data))

  /** Runs the action. Shows errors for the user in the form instead of replacing the page, so that the form keeps its input. */
  async function run(before: FormState<Data, Latest>, form: FormData): Promise<FormState<Data, Latest>> {
    hasRun.current = true
    try {
      const result = await action(before, form)
      if (result.data !== undefined) onSuccess?.(result.data)
      return result
    } catch (error) {
      return { errors: { [FORM_ERROR_KEY]: toActionMessage(error) } }
    }
  }

  useEffect(() => {
    if (state.errors) focusInvalid(ref.current)
    // The browser posted the form before hydration.
    else if (state.data !== undefined && !hasRun.current) notify(state.data)
  }, [state])

  useEffect(() => {
    if (inputErrors) focusInvalid(ref.current)
  }, [inputErrors])

  /** Shows the given errors and those for input that the browser cannot parse. Returns whether there are none. */
  function check(form: HTMLFormElement, otherErrors: FieldErrors = {}): boolean {
    const allErrors = { ...otherErrors, ...findBadInputErrors(form) }
    const isValid = Object.keys(allErrors).length === 0
    setInputErrors(isValid ? undefined : allErrors)
    return isValid
  }

  /** Dispatches the action manually, because React resets a form that it submits itself. Before hydration, the browser posts the form. */
  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const isTooLarge = new Blob([...form.values()]).size > MAX_VALUES_BYTES
    if (check(event.currentTarget, isTooLarge ? { [FORM_ERROR_KEY]: formCopy.tooLarge } : {})) startTransition(() => dispatch(form))
  }

  const errors: FieldErrors = inputErrors ?? state.errors ?? {}
  return { props: { ref, action: dispatch, onSubmit, noValidate: true }, errors, pending, check }
}

/** Hidden fields with a form's original values, so that only what the user has changed is saved (`isChanged`). */
export const OriginalValues = ({ values }: { values: Readonly<Record<string, string | null | undefined>> }) =>
  Object.entries(values).map(([name, value]) => <input key={name} type="hidden" name={`original.${name}`} value={value ?? ''} />)

/**
 * Returns the version of a record being edited, and a notice for each field that someone else has changed since the form was opened.
 * `follow` wraps an action. If the action returns a `latest` version, that version replaces the current one, so the form can be saved
 * again: fields that the user has changed keep their values, and the others show the latest values.
 *
 * @param initial the version that the form was opened with. Later values are ignored: the page may refresh with newer data while the form
 *   is open, but the fields keep their values, so the version must not change either
 * @param compare returns a notice for each field that differs between the form's original values and the latest version
 */
export function useVersion<Version>(initial: Version, compare: (form: FormData, latest: Version) => FieldErrors) {
  const [{ version, notices }, setState] = useState<{ version: Version; notices: FieldErrors }>({ version: initial, notices: {} })
  const follow =
    <Data,>(action: FormAction<Data, Version>): FormAction<Data, Version> =>
    async (before, form) => {
      const result = await action(before, form)
      const { latest } = result
      if (latest !== undefined) setState((state) => ({ version: latest, notices: { ...state.notices, ...compare(form, latest) } }))
      return result
    }
  return { version, notices, follow }
}

const joinIds = (...ids: (string | false)[]) => ids.filter(Boolean).join(' ') || undefined

type FieldProps = {
  label: string
  hint?: string | undefined
  error?: string | undefined
  /** A notice that someone else has changed the value. */
  notice?: string | undefined
  /** Renders the field with the attributes that connect it to its label, hint and error. */
  children: (attributes: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode
}

export function Field({ label, hint, error, notice, children }: FieldProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1 text-sm">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': joinIds(
          hint !== undefined && `${id}-hint`,
          notice !== undefined && `${id}-notice`,
          error !== undefined && `${id}-error`,
        ),
        'aria-invalid': error !== undefined,
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-quiet">
          {hint}
        </p>
      )}
      {notice === undefined ? null : (
        <p id={`${id}-notice`} className="wrap-anywhere text-warn">
          {notice}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} className="text-bad">
          {error}
        </p>
      )}
    </div>
  )
}

type TextFieldProps = Omit<FieldProps, 'children'> & ComponentProps<'input'>

/** A text field. The remaining props are attributes of its input. */
export const TextField = ({ label, hint, error, notice, ...input }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error} notice={notice}>
    {(attributes) => <TextInput {...attributes} className="field" autoComplete="off" {...input} />}
  </Field>
)

/** A text input. If its default value changes while its value is still the previous default, the new default replaces the value. */
export function TextInput({ defaultValue, ...attributes }: ComponentProps<'input'>) {
  const input = useRef<HTMLInputElement>(null)
  const previous = useRef(defaultValue)
  useLayoutEffect(() => {
    // The browser does this itself, unless the user has changed the value and then changed it back.
    if (input.current && defaultValue !== previous.current && input.current.value === toLine(String(previous.current ?? '')))
      input.current.value = String(defaultValue ?? '')
    previous.current = defaultValue
  }, [defaultValue])
  return <input ref={input} defaultValue={defaultValue} {...attributes} />
}

/** A named group of radio buttons or checkboxes. */
export function Choices({ legend, error, children }: { legend: string; error?: string | undefined; children: ReactNode }) {
  const id = useId()
  return (
    <fieldset className="flex flex-col gap-1 text-sm" aria-describedby={error === undefined ? undefined : id}>
      <legend className="mb-1 font-medium">{legend}</legend>
      {children}
      {error === undefined ? null : (
        <p id={id} className="text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}

type ChoiceProps = {
  type: 'radio' | 'checkbox'
  name: string
  value: string
  label: ReactNode
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

type RadioChoicesProps = {
  legend: string
  name: string
  /** The label and the description of each value. */
  options: Readonly<Record<string, { name: string; description: string }>>
  selected: string
  error: string | undefined
}

/** Radio buttons, each with a description. */
export const RadioChoices = ({ legend, name, options, selected, error }: RadioChoicesProps) => (
  <Choices legend={legend} error={error}>
    {Object.entries(options).map(([value, option]) => (
      <Choice
        key={value}
        type="radio"
        name={name}
        value={value}
        label={option.name}
        hint={option.description}
        checked={value === selected}
      />
    ))}
  </Choices>
)

type PasswordProps = {
  name: string
  label: string
  autoComplete: 'current-password' | 'new-password'
  hint?: string
  error?: string | undefined
}

/** A password field with a button that reveals it. */
export function PasswordField({ name, label, autoComplete, hint, error }: PasswordProps) {
  const [isShown, setShown] = useState(false)
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <div className="flex gap-2">
          <input
            {...attributes}
            className="field min-w-0 grow text-base"
            name={name}
            type={isShown ? 'text' : 'password'}
            autoComplete={autoComplete}
            spellCheck={false}
          />
          <button
            type="button"
            className="button"
            aria-label={`${isShown ? formCopy.hide : formCopy.show}: ${label}`}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? formCopy.hide : formCopy.show}
          </button>
        </div>
      )}
    </Field>
  )
}

/** The form-level error message and the submit button. */
export function Submit({
  label,
  pendingLabel,
  pending,
  errors,
}: {
  label: string
  pendingLabel: string
  pending: boolean
  errors: FieldErrors
}) {
  return (
    <div className="flex flex-col gap-2">
      <p role="alert" className="text-bad text-sm empty:hidden">
        <ActionMessage text={errors[FORM_ERROR_KEY]} />
      </p>
      <PendingButton type="submit" className="button-primary self-start" pending={pending}>
        {pending ? pendingLabel : label}
      </PendingButton>
    </div>
  )
}
