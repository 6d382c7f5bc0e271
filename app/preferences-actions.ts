'use server'
/** Server actions that store display preferences in the browser. The forms for the theme and the density work without JavaScript. */
import { cookies } from 'next/headers'
import { isBehindTls } from '@/lib/core/env'
import { DENSITY_COOKIE, isTheme, SIDEBAR_COOKIE, THEME_COOKIE, toDensity } from './_components/preferences'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Stores a preference in a cookie. Deletes the cookie if the value is undefined, which restores the default. */
async function storePreference(name: string, value: string | undefined): Promise<void> {
  const jar = await cookies()
  if (value === undefined) jar.delete(name)
  else jar.set(name, value, { path: '/', maxAge: YEAR_SECONDS, sameSite: 'lax', httpOnly: true, secure: isBehindTls() })
}

/** Stores the theme named on the button. Does not derive it from the stored theme, because another tab may have changed that. */
export async function saveTheme(form: FormData): Promise<void> {
  const next = String(form.get('theme'))
  await storePreference(THEME_COOKIE, isTheme(next) ? next : undefined)
}

/** Stores the row height named on the button, for the same reason as `saveTheme`. */
export async function saveDensity(form: FormData): Promise<void> {
  const next = toDensity(String(form.get('density')))
  await storePreference(DENSITY_COOKIE, next === 'compact' ? undefined : next)
}

export const saveSidebar = async (isCollapsed: boolean): Promise<void> =>
  storePreference(SIDEBAR_COOKIE, isCollapsed === true ? 'collapsed' : undefined)
