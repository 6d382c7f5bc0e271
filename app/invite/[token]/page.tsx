/** The page that invitation links open. The visitor does not have to be signed in. */
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { inviteCopy } from '@/app/copy/invite'
import { shopCopy } from '@/app/copy/shop'
import { findInvitation } from '@/lib/accounts/invitations'
import { InviteForm } from './invite-form'

/** The URL is a secret: it is neither sent as a referrer nor indexed. */
export const metadata: Metadata = { referrer: 'no-referrer', robots: { index: false, follow: false } }

export default async function InvitePage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params
  const invitation = await findInvitation(token)
  if (!invitation) notFound()
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-5 py-12">
      <p className="text-quiet text-sm">{shopCopy.name}</p>
      <h1 className="break-words font-semibold text-2xl tracking-tight">{inviteCopy.title(invitation.sellerName)}</h1>
      <p className="mt-1 mb-6 text-quiet">{inviteCopy.hint}</p>
      <InviteForm token={token} email={invitation.email} />
    </main>
  )
}
