/** JavaScript folds text exactly like PostgreSQL, so that the search finds the same guests online and offline. */
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { database } from '@/db/client'
import { openTestDatabase } from '@/testing/seller'
import { toPlain } from './plain-text'

openTestDatabase()

it.each([
  ['accents and special letters', 'Zoë Łukasz Ærø Đoković Straße ÉCOLE ñandú', 'zoe lukasz aero dokovic strasse ecole nandu'],
  ['both Greek sigmas', 'ΣΤΑΣΙΣ Παπαδόπουλος', 'στασισ παπαδοπουλοσ'],
  ['the vowel signs of other scripts', 'नमिता กำแพง שָׁלוֹם مُحَمَّد', undefined],
  ['full-width and compatibility characters', 'ＦＵＬＬ ﬁnn ①② Ⅳ', 'full finn 12 iv'],
  ['capitals that come from compatibility characters', '𝓙ohn ᴬcme™ №5 ᴭ', 'john acmetm no5 ae'],
  ['Turkish letters', 'İSTANBUL ıspanak', 'istanbul ispanak'],
  [
    'apostrophes',
    'O’Brien O‘Brien OʼBrien O′Brien O＇Brien O´Brien Hawaiʻi ŉ',
    "o'brien o'brien o'brien o'brien o'brien o'brien hawai'i 'n",
  ],
  ['an apostrophe in ASCII', 'O`Brien', "o'brien"],
  ['quotation marks', '“A” „B‟ «C» 7″ ＂', '"a" "b" "c" 7" "'],
  ['dashes', '1‐2‑3‒4–5—6―7−8－9', '1-2-3-4-5-6-7-8-9'],
])('folds %s like PostgreSQL', async (_, text, plain) => {
  const [row] = await database().use(({ rows }) => rows<{ plain: string }>(sql`select desk_plain(${text}::text) as plain`))
  expect([toPlain(text), row?.plain]).toEqual([plain ?? toPlain(text), plain ?? toPlain(text)])
})
