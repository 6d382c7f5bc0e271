/** Converts the endpoint form's fields to API request bodies. The caller validates them with the operation's schema. */
import { isChanged, joinSorted, readText } from '@/app/_components/form-state'

/** Returns the body that creates an endpoint. An empty description is undefined; an empty URL is an empty string. */
export const endpointBody = (form: FormData) => ({
  url: readText(form, 'url') ?? '',
  events: form.get('choice') === 'all' ? ['*'] : form.getAll('events').map(String),
  description: readText(form, 'description'),
})

/**
 * Returns the members that the user has changed, so that the update keeps changes that others have made to the other members since the form
 * was opened. An empty description is null. The form's hidden fields `original.*` contain the original values.
 */
export function changedEndpointBody(form: FormData) {
  const { url, events, description = null } = endpointBody(form)
  return {
    ...(isChanged(form, 'url') ? { url } : {}),
    ...(joinSorted(events) === form.get('original.events') ? {} : { events }),
    ...(isChanged(form, 'description') ? { description } : {}),
  }
}
