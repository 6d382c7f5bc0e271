'use server'
/** Accepting an invitation: the link is the right to do so. */
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { complaintsOf, type Reply, WHOLE } from '@/app/_components/form-reply'
import { inviteWords } from '@/app/copy/invite'
import { Refusal } from '@/lib/accounts/account-error'
import { acceptInvitation } from '@/lib/accounts/invitations'
import { EmailTaken, password } from '@/lib/accounts/users'

const given = z.object({ password })

export async function accept(_: Reply, form: FormData): Promise<Reply> {
  const result = given.safeParse({ password: form.get('password') })
  if (!result.success) return { complaints: complaintsOf(result.error, { password: inviteWords.complaint }) }
  try {
    await acceptInvitation(String(form.get('token')), result.data.password)
  } catch (error) {
    if (error instanceof Refusal) return { complaints: { [WHOLE]: `${inviteWords.ended}. ${inviteWords.endedHint}` } }
    if (error instanceof EmailTaken) return { complaints: { [WHOLE]: inviteWords.taken } }
    throw error
  }
  redirect('/sign-in')
}
