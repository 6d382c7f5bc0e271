'use server'
/** Server actions of the team page. */
import { refresh } from 'next/cache'
import { z } from 'zod'
import { fieldErrorsOf, type Reply } from '@/app/_components/form-reply'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { EmailTakenError } from '@/lib/accounts/account-error'
import { invite as makeInvitation, revokeInvitation } from '@/lib/accounts/invitations'
import { changeRole, disableMember, enableMember } from '@/lib/accounts/team'
import { email, role } from '@/lib/accounts/users'
import { accountErrorOf, catchAccountError, idFrom, mustFind } from '../_parts/account-errors'

const HERE = '/settings/team'
const copy = settingsCopy.team

const invitation = z.object({ email: z.string().trim().pipe(email), role })
const roleChange = z.object({ role })

/** The path of the invite link; its origin is that of the owner's browser. */
export type Invited = { email: string; path: string }

export async function invite(_: Reply<Invited>, form: FormData): Promise<Reply<Invited>> {
  const user = await requireUser('settings', HERE)
  const given = invitation.safeParse({ email: form.get('email'), role: form.get('role') })
  if (!given.success) return { errors: fieldErrorsOf(given.error, { email: copy.fieldErrors.email, role: copy.fieldErrors.role }) }
  try {
    const reply = await catchAccountError(async () => {
      const { token } = await makeInvitation(user.sellerId, given.data, user)
      return { email: given.data.email, path: `/invite/${token}` }
    })
    if (reply.done) refresh()
    return reply
  } catch (error) {
    if (error instanceof EmailTakenError) return { errors: { email: copy.fieldErrors.taken } }
    throw error
  }
}

/** Returns the name of the new role. */
export async function setRole(_: Reply<string>, form: FormData): Promise<Reply<string>> {
  const user = await requireUser('settings', HERE)
  const given = roleChange.safeParse({ role: form.get('role') })
  if (!given.success) return { errors: fieldErrorsOf(given.error, { role: copy.fieldErrors.role }) }
  const reply = await catchAccountError(async () => {
    await changeRole(user.sellerId, { userId: idFrom(form.get('userId')) }, given.data.role, user)
    return settingsCopy.roles[given.data.role].name
  })
  if (reply.done) refresh()
  return reply
}

/** Runs a change. Returns an error message, or undefined if it succeeds. */
async function change(work: (user: Awaited<ReturnType<typeof requireUser>>) => Promise<unknown>): Promise<string | undefined> {
  const user = await requireUser('settings', HERE)
  const message = await accountErrorOf(() => work(user))
  refresh()
  return message
}

export async function disable(userId: unknown): Promise<string | undefined> {
  return change((user) => disableMember(user.sellerId, { userId: idFrom(userId) }, user))
}

export async function enable(userId: unknown): Promise<string | undefined> {
  return change((user) => enableMember(user.sellerId, { userId: idFrom(userId) }, user))
}

export async function revoke(invitationId: unknown): Promise<string | undefined> {
  return change((user) => mustFind(revokeInvitation(user.sellerId, idFrom(invitationId), user), 'invitation_ended'))
}
