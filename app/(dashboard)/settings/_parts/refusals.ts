/** What the actions of the settings share: ids as they come in, and a refusal of lib as a complaint of the form that asked. */
import { type Reply, WHOLE } from '@/app/_components/form-reply'
import { settingsWords } from '@/app/copy/settings'
import { type Reason, Refusal } from '@/lib/accounts/account-error'
import { OBJECT_ID } from '@/lib/core/object-id'

/** An id that a browser sent; what can't be one is an id that nothing has. */
export const idFrom = (sent: unknown): string => (typeof sent === 'string' && OBJECT_ID.test(sent) ? sent.toLowerCase() : '')

/** Runs a change; a rule that forbids it is told, and anything else goes on as it was thrown. */
export async function refusable<Done>(work: () => Promise<Done>): Promise<Reply<Done>> {
  try {
    return { done: await work() }
  } catch (error) {
    if (error instanceof Refusal) return { complaints: { [WHOLE]: settingsWords.refusals[error.reason] } }
    throw error
  }
}

/** A refusal as an action of a confirmation answers it: the sentence, or nothing where it is done. */
export async function refusalOf(work: () => Promise<unknown>): Promise<string | undefined> {
  return (await refusable(work)).complaints?.[WHOLE]
}

/** @throws {Refusal} where lib has found nothing to change */
export async function mustFind<T>(found: Promise<T | false | undefined>, reason: Reason): Promise<T> {
  const result = await found
  if (result === false || result === undefined) throw new Refusal(reason)
  return result
}
