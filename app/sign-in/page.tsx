/** Where a seller signs in. */
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { words } from '../copy/shop'
import { signInWords } from '../copy/sign-in'
import { currentPerson } from '../session'
import { SignInForm } from './sign-in-form'

export const metadata: Metadata = { title: `${signInWords.title} · ${words.name}` }

/** A path of ours, whatever the link says: `//evil.example` and `https:…` are none. */
const insidePath = (path: string | undefined) => (path && /^\/(?![/\\])/.test(path) ? path : '/')

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ callbackUrl?: string | string[] }> }) {
  const { callbackUrl } = await searchParams
  const back = insidePath(typeof callbackUrl === 'string' ? callbackUrl : undefined)
  if (await currentPerson()) redirect(back)
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-5 py-12">
      <p className="text-quiet text-sm">{words.name}</p>
      <h1 className="mb-6 font-semibold text-2xl tracking-tight">{signInWords.title}</h1>
      <SignInForm back={back} />
    </main>
  )
}
