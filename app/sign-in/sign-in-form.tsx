'use client'
/** The sign-in form: email and password, then the shop if several match, then the two-factor code. Keeps the input if signing in fails. */
import { signIn } from 'next-auth/react'
import { useEffect, useRef, useState } from 'react'
import type { SignIn } from '@/lib/accounts/sign-in'
import { Choice, Choices, TextField } from '../_components/form'
import { PendingButton } from '../_components/pending-button'
import { signInCopy as copy } from '../copy/sign-in'
import { toSameOriginPath } from '../same-origin-path'

type SignInFailure = Exclude<SignIn, { outcome: 'signed_in' }>

/** Parses the error that next-auth returns. Returns undefined if it is not an outcome from `authorize`. */
function parseFailure(error: string): SignInFailure | undefined {
  if (error === 'CredentialsSignin') return { outcome: 'wrong' }
  try {
    return JSON.parse(error) as SignInFailure
  } catch {
    return undefined
  }
}

function getMessage(failure: SignInFailure | undefined): string | undefined {
  switch (failure?.outcome) {
    case 'wrong':
      return copy.wrong
    case 'too_many_attempts':
      return copy.tooManyAttempts(failure.seconds)
    case 'code_wrong':
      return copy.codeWrong
    case 'choose_shop':
    case 'code_required':
      return undefined
    default:
      return copy.failed
  }
}

export function SignInForm() {
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<string>()
  const [shops, setShops] = useState<Extract<SignInFailure, { outcome: 'choose_shop' }>['shops']>()
  const [needsCode, setNeedsCode] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  useEffect(() => {
    if (needsCode) form.current?.querySelector<HTMLElement>('input[name=code]')?.focus()
    else if (shops) form.current?.querySelector<HTMLElement>('input[type=radio]')?.focus()
  }, [shops, needsCode])

  function startOver() {
    setShops(undefined)
    setNeedsCode(false)
    setError(undefined)
  }

  async function submit(data: FormData) {
    const credentials = Object.fromEntries(data)
    setPending(true)
    setError(undefined)
    const result = await signIn('credentials', { ...credentials, redirect: false }).catch(() => undefined)
    if (result?.ok && !result.error) {
      // Loads a new document, so that no content that was rendered for another user remains.
      window.location.assign(toSameOriginPath(new URLSearchParams(window.location.search).get('callbackUrl'), window.location.origin))
      return
    }
    const failure = parseFailure(result?.error ?? 'failed')
    setPending(false)
    setError(getMessage(failure))
    if (failure?.outcome === 'choose_shop') setShops(failure.shops)
    if (failure?.outcome === 'code_required') setNeedsCode(true)
  }

  return (
    // An action, because React replays submissions that happen before hydration. Otherwise, the browser would send them, with the password
    // in the URL. The action returns immediately, so that state changes are shown while the request is pending.
    <form
      ref={form}
      action={(data) => void submit(data)}
      // React resets a form after its action. The input must be kept for the next step or attempt.
      onReset={(event) => event.preventDefault()}
      className="flex flex-col gap-4"
    >
      {/* The fields of earlier steps are hidden, but their values are submitted again. */}
      <div hidden={shops !== undefined || needsCode} className="flex flex-col gap-4 [&[hidden]]:hidden">
        <label className="flex flex-col gap-1 text-sm">
          {copy.email}
          <input className="field text-base" name="email" type="email" autoComplete="username" required />
        </label>
        <label className="flex flex-col gap-1 text-sm">
          {copy.password}
          <input className="field text-base" name="password" type="password" autoComplete="current-password" required />
        </label>
      </div>
      {shops ? (
        <div hidden={needsCode}>
          <Choices legend={copy.chooseShop}>
            {shops.map(({ sellerId, name }, index) => (
              <Choice key={sellerId} type="radio" name="sellerId" value={sellerId} label={name} checked={index === 0} />
            ))}
          </Choices>
        </div>
      ) : null}
      {needsCode ? (
        <TextField
          label={copy.code}
          hint={copy.codeHint}
          className="field text-base"
          name="code"
          autoComplete="one-time-code"
          spellCheck={false}
          required
        />
      ) : null}
      <p role="alert" className="min-h-6 text-bad text-sm">
        {error}
      </p>
      <PendingButton
        type="submit"
        pending={isPending}
        className="h-10 rounded-lg bg-accent px-4 font-medium text-on-accent hover:opacity-90 aria-disabled:opacity-60"
      >
        {isPending ? copy.pending : copy.submit}
      </PendingButton>
      {shops || needsCode ? (
        <button type="button" className="text-quiet text-sm underline-offset-4 hover:underline" onClick={startOver}>
          {copy.otherAccount}
        </button>
      ) : null}
    </form>
  )
}
