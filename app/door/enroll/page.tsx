/** The page that sets up a browser as a check-in device. It requires no session, because the setup code authorizes the setup. */
import type { Metadata } from 'next'
import { deviceSetupCopy } from '@/app/copy/device-setup'
import { shopCopy } from '@/app/copy/shop'
import { EnrollForm } from './enroll-form'

export const metadata: Metadata = { title: deviceSetupCopy.title, referrer: 'no-referrer' }

export default function EnrollPage() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-5 py-12">
      <p className="text-quiet text-sm">{shopCopy.name}</p>
      <h1 className="font-semibold text-2xl tracking-tight">{deviceSetupCopy.title}</h1>
      <p className="mt-1 mb-6 text-quiet">{deviceSetupCopy.hint}</p>
      <EnrollForm />
    </main>
  )
}
