/** Parses query strings. Unknown, repeated and malformed parameters are errors, so that a misspelled filter cannot return unfiltered data. */
import type { z } from 'zod'
import { ApiError } from '../core/errors'

function decode(text: string, name: string, param?: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new ApiError('parameter_invalid', `${name} is not valid percent-encoded UTF-8. Encode a literal % as %25.`, param)
  }
}

/** Shortens a name for an error message, without splitting a character. */
export const short = (name: string) => [...name].slice(0, 100).join('')

// Spec silent: parameters that are unknown, repeated, empty or not decodable.
/** Returns the decoded parameters. An empty value counts as absent. */
function readQuery(url: string, known: string[]): Record<string, string> {
  const start = url.indexOf('?')
  const query = start === -1 ? '' : url.slice(start + 1).replace(/#.*/s, '')
  const seen = new Set<string>()
  const values: Record<string, string> = {}
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decode(at === -1 ? pair : pair.slice(0, at), 'A parameter name')
    if (!known.includes(name)) {
      const message = known.length > 0 ? `Use ${known.join(', ')}.` : 'This operation takes no query parameters.'
      throw new ApiError('parameter_unknown', `Unknown parameter '${short(name)}'. ${message}`, short(name))
    }
    if (seen.has(name)) throw new ApiError('parameter_repeated', `The parameter '${name}' was sent more than once.`, name)
    seen.add(name)
    const value = at === -1 ? '' : decode(pair.slice(at + 1), `The parameter '${name}'`, name)
    if (value !== '') values[name] = value
  }
  return values
}

/**
 * Parses the query of a URL with a schema of strings.
 *
 * @throws {ApiError} `parameter_unknown`, `parameter_repeated`, `parameters_exclusive` or `parameter_invalid`
 */
export function parseQuery<T>(url: string, schema: z.ZodObject & z.ZodType<T>): T {
  const values = readQuery(url, Object.keys(schema.shape))
  if (values.starting_after !== undefined && values.ending_before !== undefined) {
    const message = 'Send either starting_after or ending_before, not both.'
    throw new ApiError('parameters_exclusive', message, 'ending_before')
  }
  const result = schema.safeParse(values)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const name = String(issue?.path[0])
  throw new ApiError('parameter_invalid', `${name} ${issue?.message}.`, name)
}
