/** The text of the pages follows the rules of its wording: US spelling, and one word per idea. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FOLDER = 'app/copy'
const sources = readdirSync(FOLDER)
  .filter((name) => !name.endsWith('.test.ts'))
  .map((name) => [name, readFileSync(`${FOLDER}/${name}`, 'utf8')] as const)

/** Returns the lines of a file that match, without comments. */
const find = (source: string, pattern: RegExp) =>
  source.split('\n').filter((line) => !/^\s*(\/\*\*|\*|\/\/|import )/.test(line) && pattern.test(line))

it.each([
  ['has US spelling', /colour|cancell(ed|ing)|favourite|organis(e|er|ation)\b|customis|authoris/i],
  ['uses email, not e-mail', /e-mail/i],
  ['has no space before a percent sign', /[\d}] %/],
  ['uses product or event, never page, for the things that are sold', /\b(Best|Any|Every|Top) pages?\b/],
  ['uses checked in, edited, revoked and expires', /\b(let in:|Take back|Changed by|Last changed|Redeemable)\b/],
  ['does not use unidiomatic phrases', /\b(anew|thereof|works off|worked off|of its own|comes about|tells this shop|stands for)\b/],
])('%s', (_, pattern) => {
  expect(sources.length).toBeGreaterThanOrEqual(30)
  expect(sources.flatMap(([name, source]) => find(source, pattern).map((line) => `${name}: ${line.trim()}`))).toEqual([])
})
