/** Checks that the defenses still match the code, because `npm run suite -- defenses` takes an hour and is run rarely. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ALL_DEFENSES } from './all-defenses'
import type { Defense } from './defenses'

it('each defense has a unique name, removes code that occurs exactly once, and names an existing test', () => {
  expect(new Set(ALL_DEFENSES.map(({ name }) => name)).size).toBe(ALL_DEFENSES.length)
  const countUses = (file: string, from: string) => (existsSync(file) ? readFileSync(file, 'utf8').split(from).length - 1 : 0)
  // The test runner runs nothing if no title contains this one. Quotes in titles are escaped.
  const hasTest = ({ file, title = '' }: Defense['test']) =>
    [title, title.replace(/['`]/g, '\\$&')].some((text) => countUses(file, text) > 0)
  const outdated = ALL_DEFENSES.filter(({ cuts, test }) => !hasTest(test) || cuts.some(({ file, from }) => countUses(file, from) !== 1))
  expect(outdated.map(({ name }) => name)).toEqual([])
})
