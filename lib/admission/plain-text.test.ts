/** The browser folds text exactly like PostgreSQL, so that the search finds the same guests online and offline. */
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { database } from '@/db/client'
import { openTestDatabase } from '@/testing/seller'
import { toPlain } from './plain-text'

openTestDatabase()

it.each([
  ['accents and special letters', 'Zoë Łukasz Ærø Đoković Straße ÉCOLE ñandú'],
  ['both Greek sigmas', 'ΣΤΑΣΙΣ Παπαδόπουλος'],
  ['the vowel signs of other scripts', 'नमिता กำแพง שָׁלוֹם مُحَمَّد'],
  ['full-width and compatibility characters', 'ＦＵＬＬ ﬁnn ①② Ⅳ'],
  ['Turkish letters', 'İSTANBUL ıspanak'],
])('folds %s like PostgreSQL', async (_, text) => {
  const [row] = await database().use(({ rows }) => rows<{ plain: string }>(sql`select desk_plain(${text}::text) as plain`))
  expect(toPlain(text)).toBe(row?.plain)
})
