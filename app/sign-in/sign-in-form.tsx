'use client'
/** The form: says what is wrong where it is wrong, and loses nothing that was typed. */
import { signIn } from 'next-auth/react'
import { type FormEvent, useState } from 'react'
import { signInWords } from '../copy/sign-in'

/** next-auth hands the outcome over as a word. */
function complaintOf(error: string): string {
  const seconds = /^slowed:(\d+)$/.exec(error)?.[1]
  if (seconds) return signInWords.slowed(Number(seconds))
  return error === 'CredentialsSignin' ? signInWords.wrong : signInWords.failed
}

export function SignInForm({ back }: { back: string }) {
  const [pending, setPending] = useState(false)
  const [complaint, setComplaint] = useState<string>()

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setPending(true)
    setComplaint(undefined)
    const result = await signIn('credentials', { email: form.get('email'), password: form.get('password'), redirect: false }).catch(
      () => undefined,
    )
    if (result?.ok && !result.error) {
      // A whole load: nothing that was rendered for someone else stays.
      window.location.assign(back)
      return
    }
    setPending(false)
    setComplaint(complaintOf(result?.error ?? 'failed'))
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <label className="flex flex-col gap-1 text-sm">
        {signInWords.email}
        <input className="field text-base" name="email" type="email" autoComplete="username" required />
      </label>
      <label className="flex flex-col gap-1 text-sm">
        {signInWords.password}
        <input className="field text-base" name="password" type="password" autoComplete="current-password" required />
      </label>
      <p role="alert" className="min-h-6 text-bad text-sm">
        {complaint}
      </p>
      <button
        type="submit"
        disabled={pending}
        className="h-10 rounded-lg bg-accent px-4 font-medium text-on-accent hover:opacity-90 disabled:opacity-60"
      >
        {pending ? signInWords.pending : signInWords.submit}
      </button>
    </form>
  )
}
