/** The address that people type to reach this server, for lines that work when they are pasted. */
import { headers } from 'next/headers'
import { env } from '@/lib/core/env'

/** NEXTAUTH_URL, or else where this page was asked for; without a slash at its end. */
export async function ownAddress(): Promise<string> {
  const asked = await headers()
  return env().NEXTAUTH_URL?.replace(/\/+$/, '') ?? `http://${asked.get('host') ?? 'localhost:3000'}`
}
