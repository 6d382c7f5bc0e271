'use client'
/** The form for turning on two-factor authentication, which then shows the recovery codes once. */
import { type ReactNode, useState } from 'react'
import { CopyButton } from '@/app/_components/copy-button'
import { PasswordField, Submit, useForm } from '@/app/_components/form'
import { secretCopy } from '@/app/copy/secret'
import { settingsCopy } from '@/app/copy/settings'
import { enable } from './actions'
import { CodeField } from './code-field'

const copy = settingsCopy.twoFactor

type NewSecret = {
  /** The encrypted secret, which the form sends back. */
  sealed: string
  /** The key to type into apps that cannot scan the QR code. */
  text: string
  qrCode: ReactNode
}

type Props = {
  /** The username that password managers store. */
  email: string
  /** Undefined if two-factor authentication is on. */
  secret: NewSecret | undefined
  /** The path of the page to open once the user has saved the codes. */
  next: string
  /** Replaces the form once two-factor authentication is on and the recovery codes have been dismissed. */
  children: ReactNode
}

/** Focuses the heading of the codes, because the focused button was removed with the form. */
const focusHeading = (heading: HTMLElement | null) => heading?.focus()

export function EnableForm({ email, secret: current, next, children }: Props) {
  const [codes, setCodes] = useState<string[]>()
  // Re-rendering the page, for example with another theme, creates another secret, but the user may already have scanned this one.
  const [secret, setSecret] = useState(current)
  if ((secret === undefined) !== (current === undefined)) setSecret(current)
  const { props, errors, pending } = useForm(enable, setCodes)
  if (codes) {
    return (
      <section aria-labelledby="recovery-codes" className="flex max-w-md flex-col gap-4">
        <h3 ref={focusHeading} id="recovery-codes" tabIndex={-1} className="font-medium">
          {copy.codesTitle}
        </h3>
        <p role="status" className="text-sm">
          {copy.codesHint}
        </p>
        <ul className="grid gap-1 rounded-lg border border-line bg-card p-4 font-mono text-sm sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyButton text={codes.join('\n')} name={copy.codes} className="button">
          {secretCopy.copy}
        </CopyButton>
        {/* The link loads a new document, so that every page reflects the change. */}
        <a href={next} className="button-primary self-start">
          {copy.codesSaved}
        </a>
      </section>
    )
  }
  if (secret === undefined) return children
  return (
    <form {...props} className="flex max-w-md flex-col gap-4">
      <input type="hidden" name="sealed" value={secret.sealed} />
      <p className="text-sm">{copy.scan}</p>
      {secret.qrCode}
      <p className="text-quiet text-sm">
        {copy.typeInstead} <code className="break-words font-mono">{secret.text}</code>
      </p>
      <CodeField hint={copy.codeHint} error={errors.code} />
      <input type="email" name="username" value={email} autoComplete="username" readOnly hidden />
      <PasswordField name="password" label={copy.password} autoComplete="current-password" error={errors.password} />
      <Submit label={copy.enable} pendingLabel={copy.pending} pending={pending} errors={errors} />
    </form>
  )
}
