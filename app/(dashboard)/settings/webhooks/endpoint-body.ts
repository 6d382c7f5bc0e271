/** Converts the endpoint form's fields to an API request body. The caller validates it with the operation's schema. */
import { readText } from '@/app/_components/form-state'

/** Returns the body that creates or updates an endpoint. An empty description is undefined; an empty URL is an empty string. */
export const endpointBody = (form: FormData) => ({
  url: readText(form, 'url') ?? '',
  events: form.get('choice') === 'all' ? ['*'] : form.getAll('events'),
  description: readText(form, 'description'),
})
