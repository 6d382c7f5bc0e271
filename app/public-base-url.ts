/** The server's public URL, for links, redirects and commands that users copy. */
import { headers } from 'next/headers'
import { env } from '@/lib/core/env'

/** Returns `NEXTAUTH_URL`, or an `http://` URL with the host of the current request, without a trailing slash. */
export async function getPublicBaseUrl(): Promise<string> {
  const requestHeaders = await headers()
  return env().NEXTAUTH_URL?.replace(/\/+$/, '') ?? `http://${requestHeaders.get('host') ?? 'localhost:3000'}`
}
