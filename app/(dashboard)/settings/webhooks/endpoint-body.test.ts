/** Tests that the form for editing an endpoint submits only what the user has changed. */
import { expect, it } from 'vitest'
import { updateEndpointBody } from '@/lib/catalog/webhook-operations'
import { buildEndpointUpdate } from './endpoint-body'

const ORIGINAL = { url: 'https://example.com/hook', description: 'CRM', events: 'payment.failed,payment.paid' }

it.each([
  ['nothing', {}, ['payment.paid', 'payment.failed'], {}],
  ['the URL', { url: 'https://example.com/new' }, undefined, { url: 'https://example.com/new' }],
  ['the description to nothing', { description: '' }, undefined, { description: null }],
  ['the events', {}, ['payment.paid'], { events: ['payment.paid'] }],
  ['the events to all', { choice: 'all' }, undefined, { events: ['*'] }],
])('if the user has changed %s, submits only that', (_, changes, events = ['payment.failed', 'payment.paid'], body) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(ORIGINAL)) form.set(`original.${name}`, value)
  const { url, description } = ORIGINAL
  for (const [name, value] of Object.entries({ url, description, choice: 'some', ...changes })) form.set(name, value)
  for (const type of events) form.append('events', type)
  expect(buildEndpointUpdate(form)).toEqual(body)
  expect(updateEndpointBody.safeParse(buildEndpointUpdate(form)).error).toBeUndefined()
})
