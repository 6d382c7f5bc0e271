/** Runs a command for one seller. */
import { findSeller } from '@/lib/accounts/sellers'
import { CommandError, withDatabase } from './command'

/** Returns the ID of a seller. @param id in any letter case @throws {CommandError} if there is no such seller */
export async function requireSeller(id: string): Promise<string> {
  const seller = await findSeller(id.toLowerCase())
  if (!seller) throw new CommandError(`No such seller: ${id}. Run \`desk seller list\` to list the sellers and their IDs.`)
  return seller.id
}

/** Connects to the database, and passes `work` the ID of the seller. Throws the errors of `withDatabase` and `requireSeller`. */
export const withSeller = <T>(
  id: string,
  work: (sellerId: string) => Promise<T>,
  options?: Parameters<typeof withDatabase>[1],
): Promise<T> => withDatabase(async () => work(await requireSeller(id)), options)
