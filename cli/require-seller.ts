/** Finds the seller that a command is run for. */
import { findSeller } from '@/lib/accounts/sellers'
import { CommandError } from './command'

/** Returns the ID of a seller. @param id in any letter case @throws {CommandError} if there is no such seller */
export async function requireSeller(id: string): Promise<string> {
  const seller = await findSeller(id.toLowerCase())
  if (!seller) throw new CommandError(`No such seller: ${id}. Run \`desk seller list\` to list the sellers and their IDs.`)
  return seller.id
}
