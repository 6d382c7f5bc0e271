'use server'
/** Server action that accepts an invitation. The token in the link authorizes it. */
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { fieldErrorsOf, type Reply, WHOLE } from '@/app/_components/form-reply'
import { inviteCopy } from '@/app/copy/invite'
import { AccountError, EmailTakenError } from '@/lib/accounts/account-error'
import { acceptInvitation } from '@/lib/accounts/invitations'
import { password } from '@/lib/accounts/users'

const given = z.object({ password })

export async function accept(_: Reply, form: FormData): Promise<Reply> {
  const result = given.safeParse({ password: form.get('password') })
  if (!result.success) return { errors: fieldErrorsOf(result.error, { password: inviteCopy.passwordError }) }
  try {
    await acceptInvitation(String(form.get('token')), result.data.password)
  } catch (error) {
    if (error instanceof AccountError) return { errors: { [WHOLE]: `${inviteCopy.ended}. ${inviteCopy.endedHint}` } }
    if (error instanceof EmailTakenError) return { errors: { [WHOLE]: inviteCopy.taken } }
    throw error
  }
  redirect('/sign-in')
}
