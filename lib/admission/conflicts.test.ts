/** Staff must add a note when they review a conflict. */
import { expect, it } from 'vitest'
import { conflictNote } from './conflicts'

it('the note for a conflict is required, trimmed, and limited to 200 characters', () => {
  expect(conflictNote.safeParse('  ').success).toBe(false)
  expect(conflictNote.safeParse('x'.repeat(201)).success).toBe(false)
  expect(conflictNote.parse(' Paid at the door ')).toBe('Paid at the door')
})
