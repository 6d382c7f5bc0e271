'use server'
/** Cycles through the themes: system, light, dark. Works without JavaScript. */
import { cookies } from 'next/headers'
import { isBehindTls } from '@/lib/core/env'
import { isTheme, THEME_COOKIE } from './_components/theme'

const YEAR_SECONDS = 365 * 24 * 60 * 60

export async function cycleTheme(): Promise<void> {
  const jar = await cookies()
  const now = jar.get(THEME_COOKIE)?.value
  const kept = { path: '/', maxAge: YEAR_SECONDS, sameSite: 'lax', httpOnly: true, secure: isBehindTls() } as const
  if (!isTheme(now)) jar.set(THEME_COOKIE, 'light', kept)
  else if (now === 'light') jar.set(THEME_COOKIE, 'dark', kept)
  else jar.delete(THEME_COOKIE)
}
