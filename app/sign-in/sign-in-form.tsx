'use client'
/** The sign-in form. It keeps its input when signing in fails. */
import { signIn } from 'next-auth/react'
import { type FormEvent, useState } from 'react'
import { signInCopy } from '../copy/sign-in'

/** Maps next-auth's error string to a message. */
function messageOf(error: string): string {
  const seconds = /^too_many_attempts:(\d+)$/.exec(error)?.[1]
  if (seconds) return signInCopy.tooManyAttempts(Number(seconds))
  return error === 'CredentialsSignin' ? signInCopy.wrong : signInCopy.failed
}

export function SignInForm({ back }: { back: string }) {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<string>()

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setPending(true)
    setError(undefined)
    const result = await signIn('credentials', { email: form.get('email'), password: form.get('password'), redirect: false }).catch(
      () => undefined,
    )
    if (result?.ok && !result.error) {
      // A full page load, so that nothing rendered for another user stays.
      window.location.assign(back)
      return
    }
    setPending(false)
    setError(messageOf(result?.error ?? 'failed'))
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <label className="flex flex-col gap-1 text-sm">
        {signInCopy.email}
        <input className="field text-base" name="email" type="email" autoComplete="username" required />
      </label>
      <label className="flex flex-col gap-1 text-sm">
        {signInCopy.password}
        <input className="field text-base" name="password" type="password" autoComplete="current-password" required />
      </label>
      <p role="alert" className="min-h-6 text-bad text-sm">
        {error}
      </p>
      <button
        type="submit"
        disabled={pending}
        className="h-10 rounded-lg bg-accent px-4 font-medium text-on-accent hover:opacity-90 disabled:opacity-60"
      >
        {pending ? signInCopy.pending : signInCopy.submit}
      </button>
    </form>
  )
}
