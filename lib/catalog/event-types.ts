/** Lists the types of events, which are derived from the catalog. */
import { resources } from '.'
import { eventPrefix, type Resource } from './resource'

/** The types of ticket events, with their descriptions. */
const TICKET_EVENTS = {
  'ticket.created': 'A ticket was created.',
  'ticket.updated': 'A ticket or its metadata changed, or a late offline scan changed its check-in history other than by adding an entry.',
  'ticket.canceled': 'A ticket was canceled, or its booking was refunded or canceled.',
  'ticket.checked_in': 'A guest was checked in, or a check-out was undone.',
  'ticket.checked_out': 'A guest was checked out, or a check-in was undone.',
  'ticket.conflict': 'An offline scan conflicts with another scan or with the ticket’s state on the server.',
}

/** The type of the event that tests a webhook endpoint. */
export const TEST_EVENT = 'webhook.test'

/** Returns the event types of a resource, with their descriptions. */
function listTypes(resource: Resource): [type: string, description: string][] {
  const prefix = eventPrefix(resource)
  const record = `A ${resource.label.one.toLowerCase()}`
  return [
    [`${prefix}.created`, `${record} was created.`],
    [`${prefix}.updated`, `${record} changed.`],
    ...(resource.statusEvents ?? []).map((status): [string, string] => [
      `${prefix}.${status}`,
      `${record} reached the status \`${status}\`. Sent in addition to \`${prefix}.created\` or \`${prefix}.updated\`.`,
    ]),
  ]
}

/** The event types with their descriptions, in the order of the API reference. */
export const EVENT_TYPES: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.values(resources).flatMap(listTypes),
  ...Object.entries(TICKET_EVENTS),
  [TEST_EVENT, 'A test of a webhook endpoint. Sent only to that endpoint.'],
])

export const isEventType = (name: string) => Object.hasOwn(EVENT_TYPES, name)
