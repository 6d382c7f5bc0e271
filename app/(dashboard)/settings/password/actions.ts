'use server'
/** What anybody who is signed in does to their own password. */
import { getServerSession } from 'next-auth'
import { z } from 'zod'
import { complaintsOf, type Reply } from '@/app/_components/form-reply'
import { authOptions } from '@/app/auth'
import { settingsWords } from '@/app/copy/settings'
import { requirePerson } from '@/app/session'
import { Refusal, SlowedDown } from '@/lib/accounts/account-error'
import { changePassword } from '@/lib/accounts/change-password'
import { password } from '@/lib/accounts/users'

const words = settingsWords.password
const passwords = z.object({ old: z.string().min(1).max(1000), next: password })

export async function changeMine(_: Reply, form: FormData): Promise<Reply> {
  const person = await requirePerson('account', '/settings/password')
  const given = passwords.safeParse({ old: form.get('old'), next: form.get('next') })
  if (!given.success) return { complaints: complaintsOf(given.error, words.complaints) }
  const session = await getServerSession(authOptions)
  try {
    await changePassword(person, session?.sessionId ?? '', given.data)
    return { done: true }
  } catch (error) {
    if (error instanceof SlowedDown) return { complaints: { old: words.slowed(error.seconds) } }
    if (error instanceof Refusal) return { complaints: { old: settingsWords.refusals[error.reason] } }
    throw error
  }
}
