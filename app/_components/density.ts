/** The height of the rows of tables. It is stored in a cookie, so that the first paint already uses it. */

export const DENSITY_COOKIE = 'density'

export type Density = 'compact' | 'comfortable'

export const toDensity = (stored: string | undefined): Density => (stored === 'comfortable' ? 'comfortable' : 'compact')
