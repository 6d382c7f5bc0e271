/** The sign-in page. */
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { shopCopy } from '../copy/shop'
import { signInCopy } from '../copy/sign-in'
import { currentUser } from '../session'
import { SignInForm } from './sign-in-form'

export const metadata: Metadata = { title: `${signInCopy.title} · ${shopCopy.name}` }

/** Returns the path if it is local, otherwise `/`: rejects `//evil.example` and absolute URLs. */
const insidePath = (path: string | undefined) => (path && /^\/(?![/\\])/.test(path) ? path : '/')

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ callbackUrl?: string | string[] }> }) {
  const { callbackUrl } = await searchParams
  const back = insidePath(typeof callbackUrl === 'string' ? callbackUrl : undefined)
  if (await currentUser()) redirect(back)
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-5 py-12">
      <p className="text-quiet text-sm">{shopCopy.name}</p>
      <h1 className="mb-6 font-semibold text-2xl tracking-tight">{signInCopy.title}</h1>
      <SignInForm back={back} />
    </main>
  )
}
