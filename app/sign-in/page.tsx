/** The sign-in page. */
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { shopCopy } from '../copy/shop'
import { signInCopy } from '../copy/sign-in'
import { getPublicBaseUrl } from '../public-base-url'
import { toSameOriginPath } from '../same-origin-path'
import { currentUser } from '../session'
import { SignInForm } from './sign-in-form'

export const metadata: Metadata = { title: signInCopy.title }

/** The page is the same for every visitor, so it is rendered once and cached. The form therefore reads `callbackUrl` in the browser. */
export default async function SignInPage({ searchParams }: { searchParams: Promise<{ callbackUrl?: string | string[] }> }) {
  if (await currentUser()) redirect(toSameOriginPath([(await searchParams).callbackUrl].flat()[0], await getPublicBaseUrl()))
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-5 py-12">
      <p className="text-quiet text-sm">{shopCopy.name}</p>
      <h1 className="mb-6 font-semibold text-2xl tracking-tight">{signInCopy.title}</h1>
      <SignInForm />
      <a href="/door/enroll" className="mt-6 text-quiet text-sm underline-offset-4 hover:underline">
        {signInCopy.deviceLink}
      </a>
    </main>
  )
}
