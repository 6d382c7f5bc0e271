/** The address that a page was asked at, for a line that works when it is pasted. */
import { headers } from 'next/headers'
import { env } from '@/lib/env'

/** @returns without a slash at its end */
export async function ownAddress(): Promise<string> {
  const asked = await headers()
  return env().NEXTAUTH_URL?.replace(/\/$/, '') ?? `http://${asked.get('host') ?? 'localhost:3000'}`
}
