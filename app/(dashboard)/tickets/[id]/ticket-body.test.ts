/** The form that edits a ticket submits only what the user has changed. */
import { expect, it } from 'vitest'
import { updateTicketBody } from '@/lib/catalog/ticket-operations'
import { ticketBody } from './ticket-body'

/** An imported ticket with values that a user may not enter. */
const STORED = { customerName: 'x'.repeat(201), customerEmail: 'unknown' }

it.each([
  ['nothing', {}, '2', {}],
  ['the name', { customerName: 'Ada' }, '2', { customerName: 'Ada' }],
  ['the email address to nothing', { customerEmail: '' }, '2', { customerEmail: null }],
  ['a note', {}, '3', { metadata: [{ key: 'gate', value: '3' }] }],
])('if the user has changed %s, submits only that', (_, changes, note, body) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(STORED)) form.set(`original.${name}`, value)
  for (const [name, value] of Object.entries({ ...STORED, ...changes, key: 'gate', before: '2', value: note })) form.set(name, value)
  expect(ticketBody(form)).toEqual(body)
  expect(updateTicketBody.safeParse(ticketBody(form)).error).toBeUndefined()
})
