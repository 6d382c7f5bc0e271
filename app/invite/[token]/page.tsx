/** Where an invitation's link leads: whose shop it is, and a password to choose. Nobody has to be signed in. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { inviteWords } from '@/app/copy/invite'
import { words } from '@/app/copy/shop'
import { findInvitation } from '@/lib/accounts/invitations'
import { InviteForm } from './invite-form'

/** The address is a secret: it goes to no other page, and into no index. */
export const metadata: Metadata = { title: words.name, referrer: 'no-referrer', robots: { index: false, follow: false } }

export default async function InvitePage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params
  const invited = await findInvitation(token)
  if (!invited) notFound()
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-5 py-12">
      <p className="text-quiet text-sm">{words.name}</p>
      <h1 className="break-words font-semibold text-2xl tracking-tight">{inviteWords.title(invited.sellerName)}</h1>
      <p className="mt-1 mb-6 text-quiet">{inviteWords.hint}</p>
      <InviteForm token={token} email={invited.email} />
    </main>
  )
}
