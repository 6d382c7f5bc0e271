'use server'
/** Changes between compact and comfortable rows. Works without JavaScript. */
import { cookies } from 'next/headers'
import { isBehindTls } from '@/lib/core/env'
import { DENSITY_COOKIE, toDensity } from './_components/density'

const YEAR_SECONDS = 365 * 24 * 60 * 60

export async function changeDensity(): Promise<void> {
  const jar = await cookies()
  const next = toDensity(jar.get(DENSITY_COOKIE)?.value) === 'compact' ? 'comfortable' : 'compact'
  jar.set(DENSITY_COOKIE, next, { path: '/', maxAge: YEAR_SECONDS, sameSite: 'lax', httpOnly: true, secure: isBehindTls() })
}
