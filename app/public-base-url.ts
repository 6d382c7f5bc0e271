/** The server's public URL, for commands that users copy. */
import { headers } from 'next/headers'
import { env } from '@/lib/core/env'

/** Returns `NEXTAUTH_URL`, or the URL of the current request's host, without a trailing slash. */
export async function getPublicBaseUrl(): Promise<string> {
  const requestHeaders = await headers()
  return env().NEXTAUTH_URL?.replace(/\/+$/, '') ?? `http://${requestHeaders.get('host') ?? 'localhost:3000'}`
}
