'use server'
/** The server action for accepting an invitation. The token in the invitation link authorizes it. */
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { FORM_ERROR_KEY, type FormState, toFieldErrors } from '@/app/_components/form-state'
import { inviteCopy } from '@/app/copy/invite'
import { AccountError, EmailTakenError } from '@/lib/accounts/account-error'
import { acceptInvitation } from '@/lib/accounts/invitations'
import { passwordSchema } from '@/lib/accounts/users'

const formSchema = z.object({ password: passwordSchema })

export async function accept(_: FormState, form: FormData): Promise<FormState> {
  const result = formSchema.safeParse({ password: form.get('password') })
  if (!result.success) return { errors: toFieldErrors(result.error, { password: inviteCopy.passwordError }) }
  try {
    await acceptInvitation(String(form.get('token')), result.data.password)
  } catch (error) {
    if (error instanceof AccountError) return { errors: { [FORM_ERROR_KEY]: `${inviteCopy.ended}. ${inviteCopy.endedHint}` } }
    if (error instanceof EmailTakenError) return { errors: { [FORM_ERROR_KEY]: inviteCopy.taken } }
    throw error
  }
  redirect('/sign-in')
}
