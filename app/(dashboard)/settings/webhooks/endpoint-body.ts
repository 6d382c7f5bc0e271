/** Converts the endpoint form's fields to API request bodies. The caller validates them with the operation's schema. */
import { isChanged, joinSorted, readText } from '@/app/_components/form-state'

/** Builds the request body for creating an endpoint. An empty description is undefined; an empty URL is an empty string. */
export const buildEndpointBody = (form: FormData) => ({
  url: readText(form, 'url') ?? '',
  events: form.get('choice') === 'all' ? ['*'] : form.getAll('events').map(String),
  description: readText(form, 'description'),
})

/**
 * Builds the request body for updating an endpoint. It contains only what the user has changed, so that other users' changes to the other
 * members are kept. An empty description is null. The form's hidden fields `original.*` contain the original values.
 */
export function buildEndpointUpdate(form: FormData) {
  const { url, events, description = null } = buildEndpointBody(form)
  return {
    ...(isChanged(form, 'url') ? { url } : {}),
    ...(joinSorted(events) === form.get('original.events') ? {} : { events }),
    ...(isChanged(form, 'description') ? { description } : {}),
  }
}
