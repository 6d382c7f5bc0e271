/** Tests that the form for editing an endpoint submits only what the user has changed. */
import { expect, it } from 'vitest'
import { updateEndpointBody } from '@/lib/catalog/webhook-operations'
import { buildEndpointUpdate } from './endpoint-body'

const ORIGINAL = { url: 'https://example.com/hook', description: 'CRM', events: 'payment.failed,payment.paid' }

it.each([
  ['has changed nothing', {}, ['payment.paid', 'payment.failed'], {}],
  ['has changed the URL', { url: 'https://example.com/new' }, undefined, { url: 'https://example.com/new' }],
  ['has cleared the description', { description: '' }, undefined, { description: null }],
  ['has changed the events', {}, ['payment.paid'], { events: ['payment.paid'] }],
  ['has selected all events', { choice: 'all' }, undefined, { events: ['*'] }],
])('submits only what has changed if the user %s', (_, changes, events = ['payment.failed', 'payment.paid'], body) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(ORIGINAL)) form.set(`original.${name}`, value)
  const { url, description } = ORIGINAL
  for (const [name, value] of Object.entries({ url, description, choice: 'some', ...changes })) form.set(name, value)
  for (const type of events) form.append('events', type)
  expect(buildEndpointUpdate(form)).toEqual(body)
  expect(updateEndpointBody.safeParse(buildEndpointUpdate(form)).error).toBeUndefined()
})
