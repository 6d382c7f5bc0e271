/** Folds text for the guest search, on the server and in the browser. */

/** Replacements for letters that are still not ASCII after their diacritics are removed, and for the final sigma. */
const LETTERS: Record<string, string> = { ς: 'σ', ø: 'o', ł: 'l', đ: 'd', ı: 'i', ð: 'd', ß: 'ss', æ: 'ae' }

/** Replaces typographic punctuation with ASCII. */
const toAsciiPunctuation = (text: string): string =>
  text
    .replace(/[`´\u2018-\u201b\u02bb\u02bc\u2032\uff07]/g, "'")
    .replace(/[\u201c-\u201f«»\u2033\uff02]/g, '"')
    .replace(/[\u2010-\u2015\u2212\uff0d]/g, '-')

/**
 * Lowercases a text, removes its diacritics, and replaces special letters and typographic punctuation. Returns the same as the SQL function
 * `desk_plain`.
 */
export const toPlain = (text: string): string =>
  // NFKD converts ´ to a space with an accent, but also creates capitals and punctuation, such as those of ᴬ and ŉ.
  toAsciiPunctuation(toAsciiPunctuation(text).normalize('NFKD'))
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[ςøłđıðßæ]/g, (letter) => LETTERS[letter] ?? letter)
