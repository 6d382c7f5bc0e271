'use client'
/** The form for a check-in device's setup code. A setup link contains the code in its fragment. */
import { useEffect, useRef, useState } from 'react'
import { Field, useForm } from '@/app/_components/form'
import { FORM_ERROR_KEY } from '@/app/_components/form-state'
import { PendingButton } from '@/app/_components/pending-button'
import { deviceSetupCopy } from '@/app/copy/device-setup'
import { enrollAfterReporting } from './enroll-after-reporting'

export function EnrollForm() {
  // Loads /door as a new document, because the check-in page caches only the files that its own document has loaded.
  const { props, errors, pending } = useForm(enrollAfterReporting, () => window.location.assign('/door'))
  const [code, setCode] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const linkCode = decodeURIComponent(window.location.hash.slice(1))
    // A code that was typed before hydration is in the field, but not in the state.
    setCode(linkCode || (input.current?.value ?? ''))
    if (linkCode === '') return
    // The code must not stay in the browser's history.
    window.history.replaceState(null, '', window.location.pathname)
  }, [])
  return (
    <form {...props} className="flex flex-col gap-4">
      <Field label={deviceSetupCopy.code} hint={deviceSetupCopy.codeHint} error={errors.code}>
        {(attributes) => (
          <input
            {...attributes}
            ref={input}
            className="field h-16 font-mono text-xl uppercase"
            name="code"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      <p role="alert" className="text-bad text-sm empty:hidden">
        {errors[FORM_ERROR_KEY]}
      </p>
      <PendingButton type="submit" className="button-primary h-16 text-lg" pending={pending}>
        {pending ? deviceSetupCopy.pending : deviceSetupCopy.submit}
      </PendingButton>
    </form>
  )
}
