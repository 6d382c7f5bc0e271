/** The server's public address, for commands that users copy. */
import { headers } from 'next/headers'
import { env } from '@/lib/core/env'

/** Returns NEXTAUTH_URL, or the address of the current request, without a trailing slash. */
export async function ownAddress(): Promise<string> {
  const requestHeaders = await headers()
  return env().NEXTAUTH_URL?.replace(/\/+$/, '') ?? `http://${requestHeaders.get('host') ?? 'localhost:3000'}`
}
