/** A request's JSON body, read no further than it may be long. */
import { ApiError } from '../errors'

// Spec silent: how large a body may be.
export const MAX_BODY_BYTES = 64 * 1024

const tooLarge = () => new ApiError('body_too_large', `The body is over ${MAX_BODY_BYTES / 1024} KiB. Send less metadata at a time.`)

/** Stops reading at the limit, whether the length was declared or not. */
async function readBytes(request: Request): Promise<Buffer> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  if (!request.body) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    length += value.length
    if (length > MAX_BODY_BYTES) {
      // Not awaited: a sender that goes on sending is not waited for.
      reader.cancel().catch(() => {})
      throw tooLarge()
    }
    chunks.push(value)
  }
}

const isJson = (contentType: string) => /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i.test(contentType.trim())

/**
 * @returns the parsed body; no body at all reads as `{}`
 * @throws {ApiError} `body_too_large`, `media_type_unsupported` or `body_invalid`
 */
export async function readJson(request: Request): Promise<unknown> {
  const encoding = request.headers.get('content-encoding')
  const bytes = await readBytes(request)
  if (bytes.length === 0) return {}
  if (!isJson(request.headers.get('content-type') ?? '') || (encoding !== null && encoding.toLowerCase() !== 'identity')) {
    throw new ApiError(
      'media_type_unsupported',
      'Send the body as JSON, uncompressed, with the header `Content-Type: application/json`.',
      'Content-Type',
    )
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ApiError('body_invalid', 'The body is not valid JSON in UTF-8. Send an object such as {} or {"checkIn":false}.')
  }
}
