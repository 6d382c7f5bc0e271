/** The chosen theme. It is stored in a cookie, so that the first paint already uses it. */

export const THEME_COOKIE = 'theme'

export type Theme = 'light' | 'dark'

export const isTheme = (name: string | undefined): name is Theme => name === 'light' || name === 'dark'

/** Whether the sidebar is collapsed. Also a cookie, for the same reason. */
export const SIDEBAR_COOKIE = 'sidebar'
