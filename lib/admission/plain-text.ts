/** Folds text for the guest search, on the server and in the browser. */

/** The letters that `desk_plain` replaces in addition to removing diacritics. */
const PLAIN: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ð: 'd', ß: 'ss', æ: 'ae' }

/** Folds a string like the SQL function `desk_plain`: lowercase, without accents. */
export const toPlain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[øłđıðßæ]/g, (letter) => PLAIN[letter] ?? letter)
