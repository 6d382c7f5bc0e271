/** Reads the fields of the endpoint form as the body of the API's request. It is validated by the operation's schema. */
import { readText } from '@/app/_components/form-state'

/** Returns the members that the form shows; an empty description is undefined. */
export const endpointBody = (form: FormData) => ({
  url: readText(form, 'url') ?? '',
  events: form.get('choice') === 'all' ? ['*'] : form.getAll('events'),
  description: readText(form, 'description'),
})
