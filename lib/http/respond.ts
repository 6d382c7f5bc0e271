/** What the API's answers are made with: the platform's Response, or the one that `server.ts` writes quicker. */

let kind: typeof Response = Response

/** For this copy of the module alone: Next's bundle has one of its own, and keeps the platform's. */
export function respondWith(other: typeof Response): void {
  kind = other
}

/** @param headers plain, for that is how they are quickest written */
export const respond = (body: string | Uint8Array<ArrayBuffer> | null, status: number, headers: Record<string, string>): Response =>
  new kind(body, { status, headers })
