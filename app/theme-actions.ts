'use server'
/** Keeps how the dashboard looks in this browser: the theme, and whether the sidebar is collapsed. */
import { cookies } from 'next/headers'
import { isBehindTls } from '@/lib/core/env'
import { isTheme, SIDEBAR_COOKIE, THEME_COOKIE } from './_components/theme'

const YEAR_SECONDS = 365 * 24 * 60 * 60

const kept = () => ({ path: '/', maxAge: YEAR_SECONDS, sameSite: 'lax', httpOnly: true, secure: isBehindTls() }) as const

/** Cycles through the themes: system, light, dark. Works without JavaScript. */
export async function cycleTheme(): Promise<void> {
  const jar = await cookies()
  const now = jar.get(THEME_COOKIE)?.value
  if (!isTheme(now)) jar.set(THEME_COOKIE, 'light', kept())
  else if (now === 'light') jar.set(THEME_COOKIE, 'dark', kept())
  else jar.delete(THEME_COOKIE)
}

export async function keepSidebar(isCollapsed: boolean): Promise<void> {
  const jar = await cookies()
  if (isCollapsed === true) jar.set(SIDEBAR_COOKIE, 'collapsed', kept())
  else jar.delete(SIDEBAR_COOKIE)
}
