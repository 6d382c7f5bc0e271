'use server'
/** What an owner does to the shop's team. */
import { refresh } from 'next/cache'
import { z } from 'zod'
import { complaintsOf, type Reply } from '@/app/_components/form-reply'
import { settingsWords } from '@/app/copy/settings'
import { requirePerson } from '@/app/session'
import { invite as makeInvitation, revokeInvitation } from '@/lib/accounts/invitations'
import { changeRole, disableMember, enableMember } from '@/lib/accounts/team'
import { EmailTaken, email, role } from '@/lib/accounts/users'
import { idFrom, mustFind, refusable, refusalOf } from '../_parts/refusals'

const HERE = '/settings/team'
const words = settingsWords.team

const invitation = z.object({ email: z.string().trim().pipe(email), role })
const roleChange = z.object({ role })

/** The path of the link; its origin is the one that the owner's browser is at. */
export type Invited = { email: string; path: string }

export async function invite(_: Reply<Invited>, form: FormData): Promise<Reply<Invited>> {
  const person = await requirePerson('settings', HERE)
  const given = invitation.safeParse({ email: form.get('email'), role: form.get('role') })
  if (!given.success) return { complaints: complaintsOf(given.error, { email: words.complaints.email, role: words.complaints.role }) }
  try {
    const reply = await refusable(async () => {
      const { token } = await makeInvitation(person.sellerId, given.data, person)
      return { email: given.data.email, path: `/invite/${token}` }
    })
    if (reply.done) refresh()
    return reply
  } catch (error) {
    if (error instanceof EmailTaken) return { complaints: { email: words.complaints.taken } }
    throw error
  }
}

/** Answers the new role. */
export async function setRole(_: Reply<string>, form: FormData): Promise<Reply<string>> {
  const person = await requirePerson('settings', HERE)
  const given = roleChange.safeParse({ role: form.get('role') })
  if (!given.success) return { complaints: complaintsOf(given.error, { role: words.complaints.role }) }
  const reply = await refusable(async () => {
    await changeRole(person.sellerId, { userId: idFrom(form.get('userId')) }, given.data.role, person)
    return settingsWords.roles[given.data.role].name
  })
  if (reply.done) refresh()
  return reply
}

/** Each of these answers a sentence where it could not be done. */
async function change(work: (person: Awaited<ReturnType<typeof requirePerson>>) => Promise<unknown>): Promise<string | undefined> {
  const person = await requirePerson('settings', HERE)
  const refusal = await refusalOf(() => work(person))
  refresh()
  return refusal
}

export async function disable(userId: unknown): Promise<string | undefined> {
  return change((person) => disableMember(person.sellerId, { userId: idFrom(userId) }, person))
}

export async function enable(userId: unknown): Promise<string | undefined> {
  return change((person) => enableMember(person.sellerId, { userId: idFrom(userId) }, person))
}

export async function takeBack(invitationId: unknown): Promise<string | undefined> {
  return change((person) => mustFind(revokeInvitation(person.sellerId, idFrom(invitationId), person), 'invitation_ended'))
}
