/** Checks that the defenses still match the code, because `npm run suite -- defenses` takes an hour and is run rarely. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ALL_DEFENSES } from './all-defenses'

it('each defense has a unique name, removes code that occurs exactly once, and names an existing test file', () => {
  expect(new Set(ALL_DEFENSES.map(({ name }) => name)).size).toBe(ALL_DEFENSES.length)
  const countUses = (file: string, from: string) => readFileSync(file, 'utf8').split(from).length - 1
  const outdated = ALL_DEFENSES.filter(
    ({ cuts, test }) => !existsSync(test.file) || cuts.some(({ file, from }) => !existsSync(file) || countUses(file, from) !== 1),
  )
  expect(outdated.map(({ name }) => name)).toEqual([])
})
