/** Folds text for the guest search, on the server and in the browser. */

/** The letters that are replaced in addition to removing diacritics. The final sigma becomes an ordinary one. */
const LETTERS: Record<string, string> = { ς: 'σ', ø: 'o', ł: 'l', đ: 'd', ı: 'i', ð: 'd', ß: 'ss', æ: 'ae' }

/** Lowercases a string, removes its diacritics and replaces special letters. Returns the same as the SQL function `desk_plain`. */
export const toPlain = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[ςøłđıðßæ]/g, (letter) => LETTERS[letter] ?? letter)
