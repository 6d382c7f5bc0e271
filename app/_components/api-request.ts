/** Builds the curl commands that can be copied from pages and forms. */

/** Quotes a string for a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Returns a curl command. Before running it, the user sets `$KEY` to an API key.
 *
 * @param origin the server's public origin, without a trailing slash
 * @param path the path after `/v1`
 * @param body the members of the JSON body
 */
export function apiRequest(
  origin: string,
  method: 'DELETE' | 'GET' | 'PATCH' | 'POST',
  path: string,
  body?: Record<string, unknown>,
): string {
  const parts = [`curl -s ${quote(`${origin}/v1${path}`)}`, '-H "Authorization: Bearer $KEY"']
  if (method !== 'GET') parts.push(`-X ${method}`)
  if (body) parts.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`)
  return parts.join(' ')
}
