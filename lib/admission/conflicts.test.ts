/** The note of a reviewed conflict. */
import { expect, it } from 'vitest'
import { conflictNote } from './conflicts'

it('is required, because it cannot be changed later', () => {
  expect(conflictNote.safeParse('  ').success).toBe(false)
  expect(conflictNote.safeParse('x'.repeat(201)).success).toBe(false)
  expect(conflictNote.parse(' Paid at the door ')).toBe('Paid at the door')
})
