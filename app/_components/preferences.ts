/** Per-browser display preferences for the dashboard. Each is stored in a cookie, so that the first paint is correct. */

export const THEME_COOKIE = 'theme'
export type Theme = 'light' | 'dark'
export const isTheme = (name: string | undefined): name is Theme => name === 'light' || name === 'dark'

/** Whether the sidebar is collapsed. */
export const SIDEBAR_COOKIE = 'sidebar'

/** The row height of tables. */
export const DENSITY_COOKIE = 'density'
export type Density = 'compact' | 'comfortable'
export const toDensity = (stored: string | undefined): Density => (stored === 'comfortable' ? 'comfortable' : 'compact')
