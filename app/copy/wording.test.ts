/** Tests that the text in app/copy follows the wording rules, such as US spelling and one term per concept. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FOLDER = 'app/copy'
const sources = readdirSync(FOLDER)
  .filter((name) => !name.endsWith('.test.ts'))
  .map((name) => [name, readFileSync(`${FOLDER}/${name}`, 'utf8')] as const)

/** Returns the matching lines of a file, ignoring comments and imports. */
const find = (source: string, pattern: RegExp) =>
  source.split('\n').filter((line) => !/^\s*(\/\*\*|\*|\/\/|import )/.test(line) && pattern.test(line))

it.each([
  ['has US spelling', /colour|cancell(ed|ing)|favourite|organis(e|er|ation)\b|customis|authoris/i],
  ['uses email, not e-mail', /e-mail/i],
  ['has no space before a percent sign', /[\d}] %/],
  ['says product or event, not page', /\b(Best|Any|Every|Top) pages?\b/],
  ['uses one term each for checking in, editing, revoking and expiring', /\b(let in:|(Take back|Changed by|Last changed|Redeemable)\b)/],
  ['contains no unidiomatic phrases', /\b(anew|thereof|works off|worked off|of its own|comes about|tells this shop|stands for)\b/],
])('%s', (_, pattern) => {
  expect(sources.length).toBeGreaterThanOrEqual(30)
  expect(sources.flatMap(([name, source]) => find(source, pattern).map((line) => `${name}: ${line.trim()}`))).toEqual([])
})
