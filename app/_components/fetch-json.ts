/** Requests JSON from the dashboard's routes. */

/** Why a request failed. */
export type FetchFailure = 'signed-out' | 'failed'

/** Returns the response's JSON, or why the request failed. */
export async function fetchJson<T extends object>(path: string, signal: AbortSignal): Promise<T | FetchFailure> {
  try {
    const response = await fetch(path, { signal })
    if (response.ok) return (await response.json()) as T
    return response.status === 401 ? 'signed-out' : 'failed'
  } catch {
    return 'failed'
  }
}
