'use server'
/** Server actions for the team page. */
import { z } from 'zod'
import { type FormState, isChanged, toFieldErrors } from '@/app/_components/form-state'
import { teamCopy as copy } from '@/app/copy/team'
import { parseId } from '@/app/parse-id'
import { requireActor } from '@/app/session'
import { EmailTakenError } from '@/lib/accounts/account-error'
import { emailSchema } from '@/lib/accounts/email'
import { invite as createInvitation, revokeInvitation } from '@/lib/accounts/invitations'
import { changeRole, changeTwoFactorRequirement, disableMember, enableMember, findMember, listTeam } from '@/lib/accounts/team'
import { resetTwoFactor } from '@/lib/accounts/two-factor'
import { roleSchema } from '@/lib/accounts/users'
import { changeAndRefresh, requireFound, runChange } from '../_parts/account-errors'

const PATH = '/settings/team'

const invitationSchema = z.object({ email: z.string().trim().pipe(emailSchema), role: roleSchema })
const roleFormSchema = z.object({ role: roleSchema })

/** An invitation link, as a path. The owner's browser prepends its origin. `email` is the invited address. */
export type InvitationLink = { email: string; path: string }

/** Creates an invitation. Returns its link, which cannot be shown again. */
export async function invite(_: FormState<InvitationLink>, form: FormData): Promise<FormState<InvitationLink>> {
  const user = await requireActor('settings', PATH)
  const parsed = invitationSchema.safeParse({ email: form.get('email'), role: form.get('role') })
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, { email: copy.fieldErrors.email, role: copy.fieldErrors.role }) }
  try {
    return await changeAndRefresh(async () => {
      const { token } = await createInvitation(user.sellerId, parsed.data, user)
      return { email: parsed.data.email, path: `/invite/${token}` }
    })
  } catch (error) {
    if (error instanceof EmailTakenError) return { errors: { email: copy.fieldErrors.taken } }
    throw error
  }
}

/** Changes a member's role if the owner selected a different one in the form. Returns a message with the member's role. */
export async function setRole(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireActor('settings', PATH)
  const parsed = roleFormSchema.safeParse({ role: form.get('role') })
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, { role: copy.fieldErrors.role }) }
  return changeAndRefresh(async () => {
    const member = { userId: parseId(form.get('userId')) }
    if (isChanged(form, 'role')) await changeRole(user.sellerId, member, parsed.data.role, user)
    // Another owner might have changed the role since the form was opened.
    const { email, role } = findMember(await listTeam(user.sellerId), member)
    return copy.roleSaved(email, copy.roles[role].name)
  })
}

export async function disable(userId: unknown): Promise<string | undefined> {
  return runChange('settings', PATH, (user) => disableMember(user.sellerId, { userId: parseId(userId) }, user))
}

export async function enable(userId: unknown): Promise<string | undefined> {
  return runChange('settings', PATH, (user) => enableMember(user.sellerId, { userId: parseId(userId) }, user))
}

export async function resetMemberTwoFactor(userId: unknown): Promise<string | undefined> {
  return runChange('settings', PATH, (user) => resetTwoFactor(user.sellerId, { userId: parseId(userId) }, user))
}

export async function setTwoFactorRequired(isRequired: unknown): Promise<string | undefined> {
  return runChange('settings', PATH, (user) => changeTwoFactorRequirement(user.sellerId, isRequired === true, user))
}

export async function revoke(invitationId: unknown): Promise<string | undefined> {
  return runChange('settings', PATH, (user) =>
    requireFound(revokeInvitation(user.sellerId, parseId(invitationId), user), 'invitation_ended'),
  )
}
