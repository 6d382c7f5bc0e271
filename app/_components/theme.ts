/** Light or dark, where a person has chosen: kept in the browser as a cookie, so that the first paint is right. */

export const THEME_COOKIE = 'theme'

export type Theme = 'light' | 'dark'

export const isTheme = (name: string | undefined): name is Theme => name === 'light' || name === 'dark'
