/** Tests that the form for editing a ticket submits only what the user has changed, and shows what others have changed. */
import { expect, it } from 'vitest'
import { updateTicketBody } from '@/lib/catalog/ticket-operations'
import { buildTicketBody, describeTicketChanges, isNewNoteIncomplete, isNewNoteNameTaken, listKeysWithNotice } from './ticket-body'

/** An imported ticket with values that the form would reject. */
const STORED = { customerName: 'x'.repeat(201), customerEmail: 'unknown' }

it.each([
  ['has changed nothing', {}, '2', {}],
  ['has changed the name', { customerName: 'Ada' }, '2', { customerName: 'Ada' }],
  ['has cleared the email address', { customerEmail: '' }, '2', { customerEmail: null }],
  ['has changed a note', {}, '3', { metadata: [{ key: 'gate', value: '3' }] }],
])('submits only what has changed if the user %s', (_, changes, note, body) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(STORED)) form.set(`original.${name}`, value)
  for (const [name, value] of Object.entries({ ...STORED, ...changes, key: 'gate', before: '2', value: note })) form.set(name, value)
  expect(buildTicketBody(form)).toEqual(body)
  expect(updateTicketBody.safeParse(buildTicketBody(form)).error).toBeUndefined()
})

it('describes the notes that someone else has changed, removed or added', () => {
  const form = makeNotesForm(
    [
      ['seat', 'B 12', 'B 13'],
      ['gate', '2', '2'],
      ['diet', 'nuts', 'nuts'],
    ],
    ['', ''],
  )
  const metadata = [
    { key: 'seat', value: 'C 1' },
    { key: 'gate', value: '2' },
    { key: 'bag', value: 'blue' },
  ]
  const notices = describeTicketChanges(form, { customerName: 'Ada', metadata })
  expect(notices).toEqual({
    customerName: 'Someone else has changed this to “Ada”.',
    'note.seat': 'Someone else has changed this to “C 1”. If you save, your text replaces it.',
    'note.diet': 'Someone else has cleared this.',
    'note.bag': 'Someone else has changed this to “blue”.',
  })
  expect(listKeysWithNotice(notices)).toEqual(['seat', 'diet', 'bag'])
})

it.each([
  [['seat', ''], true],
  [['', 'B 2'], true],
  [[' ', ' '], false],
  [['seat', 'B 2'], false],
] as [[string, string], boolean][])('detects whether only the name or only the value of the new note %j is filled in', (note, expected) => {
  expect(isNewNoteIncomplete(makeNotesForm([['gate', '', '2']], note))).toBe(expected)
})

it('describes a note that someone else has added under the name of the new note', () => {
  const form = makeNotesForm([], [' seat ', 'B 2'])
  expect(describeTicketChanges(form, { metadata: [{ key: 'seat', value: 'A 1' }] })).toEqual({
    'note.seat': 'Someone else has changed this to “A 1”.',
  })
})

it.each([
  [' seat ', true],
  ['Seat', false],
  ['', false],
])('detects whether the new note %j has the name of an existing note', (name, expected) => {
  expect(isNewNoteNameTaken(makeNotesForm([['seat', 'B 12', 'B 12']], [name, 'B 2']))).toBe(expected)
})

/**
 * Returns a submitted form.
 *
 * @param notes existing notes, each with its name, its original value, and the submitted value
 */
function makeNotesForm(notes: [key: string, before: string, value: string][], [newKey, newValue]: [newKey: string, newValue: string]) {
  const form = new FormData()
  for (const [key, before, value] of notes) {
    form.append('before', before)
    form.append('key', key)
    form.append('value', value)
  }
  form.append('before', '')
  form.append('newKey', newKey)
  form.append('value', newValue)
  return form
}

/** Returns the notes in the body for a submitted form. */
const submitNotes = (notes: Parameters<typeof makeNotesForm>[0], newNote: [string, string] = ['', '']) =>
  (buildTicketBody(makeNotesForm(notes, newNote)) as { metadata?: unknown }).metadata

it('does not submit unchanged notes with line breaks, which the field removes, or surrounding spaces', () => {
  expect(submitNotes([['diet', 'nuts\r\nshellfish ', 'nutsshellfish ']])).toBeUndefined()
  expect(submitNotes([['diet', 'nuts\nshellfish ', 'none']])).toEqual([{ key: 'diet', value: 'none' }])
})

it('keeps the name of an existing note, and trims the name of a new one', () => {
  const changed = submitNotes(
    [
      [' seat', 'B 12', 'B 13'],
      ['a\r\nb', '1', '2'],
    ],
    [' gate ', ' 3 '],
  )
  expect(changed).toEqual([
    { key: ' seat', value: 'B 13' },
    { key: 'a\nb', value: '2' },
    { key: 'gate', value: '3' },
  ])
})
