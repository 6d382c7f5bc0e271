'use client'
/** The sign-in form: email and password, then the shop if several match. It keeps its input when signing in fails. */
import { signIn } from 'next-auth/react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { SignIn } from '@/lib/accounts/sign-in'
import { Choice, Choices } from '../_components/form'
import { signInCopy as copy } from '../copy/sign-in'

type Refusal = Exclude<SignIn, { outcome: 'signed_in' }>

/** Parses next-auth's error string; undefined if the server did not write it. */
function refusalOf(error: string): Refusal | undefined {
  if (error === 'CredentialsSignin') return { outcome: 'wrong' }
  try {
    return JSON.parse(error) as Refusal
  } catch {
    return undefined
  }
}

function messageOf(refusal: Refusal | undefined): string | undefined {
  switch (refusal?.outcome) {
    case 'wrong':
      return copy.wrong
    case 'too_many_attempts':
      return copy.tooManyAttempts(refusal.seconds)
    case 'choose_shop':
      return undefined
    default:
      return copy.failed
  }
}

export function SignInForm({ back }: { back: string }) {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<string>()
  const [shops, setShops] = useState<Extract<Refusal, { outcome: 'choose_shop' }>['shops']>()
  const form = useRef<HTMLFormElement>(null)

  useEffect(() => {
    if (shops) form.current?.querySelector<HTMLElement>('input[type=radio]')?.focus()
  }, [shops])

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const credentials = Object.fromEntries(new FormData(event.currentTarget))
    setPending(true)
    setError(undefined)
    const result = await signIn('credentials', { ...credentials, redirect: false }).catch(() => undefined)
    if (result?.ok && !result.error) {
      // A full page load, so that no content rendered for another user remains.
      window.location.assign(back)
      return
    }
    const refusal = refusalOf(result?.error ?? 'failed')
    setPending(false)
    setError(messageOf(refusal))
    if (refusal?.outcome === 'choose_shop') setShops(refusal.shops)
  }

  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-4">
      {/* Hidden but submitted again with the chosen shop. */}
      <div hidden={shops !== undefined} className="flex flex-col gap-4 [&[hidden]]:hidden">
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
        <Choices legend={copy.chooseShop}>
          {shops.map(({ sellerId, name }, at) => (
            <Choice key={sellerId} type="radio" name="sellerId" value={sellerId} label={name} checked={at === 0} />
          ))}
        </Choices>
      ) : null}
      <p role="alert" className="min-h-6 text-bad text-sm">
        {error}
      </p>
      <button
        type="submit"
        disabled={pending}
        className="h-10 rounded-lg bg-accent px-4 font-medium text-on-accent hover:opacity-90 disabled:opacity-60"
      >
        {pending ? copy.pending : copy.submit}
      </button>
      {shops ? (
        <button type="button" className="text-quiet text-sm underline-offset-4 hover:underline" onClick={() => setShops(undefined)}>
          {copy.otherAccount}
        </button>
      ) : null}
    </form>
  )
}
