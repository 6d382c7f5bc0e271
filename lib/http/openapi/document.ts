/** Generates the API's OpenAPI 3.1 document, once per process. */
import { SCOPE_LABELS } from '../../accounts/scopes'
import { recordTypes } from '../../catalog'
import { env } from '../../core/env'
import { HEADERS } from './errors'
import { EVENTS_TAG, EVENTS_TAG_NAME } from './events'
import { GUIDE } from './guide'
import { makePaths } from './operations'
import { EXAMPLE_URL } from './samples'
import { makeSchemas } from './schemas'
import type { OpenApiDocument } from './types'
import { webhookRequests } from './webhook-requests'

function makeDocument(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Checkout Desk',
      version: '1.0.0',
      summary: 'Read orders and customers, create coupons and check in event tickets.',
      description: GUIDE.trim(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: EXAMPLE_URL, description: 'This server' }],
    tags: [
      ...recordTypes.map(({ label, description }) => ({ name: label.many, description })),
      { name: EVENTS_TAG_NAME, description: EVENTS_TAG },
      { name: 'Operations', description: 'The status of the server and the OpenAPI document. No API key required.' },
    ],
    paths: makePaths(),
    webhooks: webhookRequests(),
    components: {
      schemas: makeSchemas(),
      headers: HEADERS,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'desk_ followed by 36 letters and digits',
          description:
            'An API key of the seller, in the header `Authorization: Bearer desk_…`. Each operation specifies the scope that it requires; `full` includes all scopes.',
          'x-scopes': SCOPE_LABELS,
        },
      },
    },
  }
}

let cached: OpenApiDocument | undefined
let text: string | undefined

/** Returns the document, with `EXAMPLE_URL` as the server's URL. The first call generates it. */
export function openApiDocument(): OpenApiDocument {
  cached ??= makeDocument()
  return cached
}

/** Returns the document as JSON. @param origin the request's origin, which the examples use if no URL is configured */
export function openApiText(origin: string): string {
  const publicUrl = env().NEXTAUTH_URL?.replace(/\/$/, '')
  text ??= JSON.stringify(openApiDocument())
  return text.replaceAll(EXAMPLE_URL, () => publicUrl ?? origin)
}
