/** The API's description in OpenAPI 3.1, put together once a process. */

import { SCOPES } from '../../accounts/scopes'
import { env } from '../../core/env'
import { HEADERS } from './errors'
import { makeGuide, SCOPE_MEANINGS } from './guide'
import { makePaths } from './operations'
import { makeSchemas } from './schemas'
import type { OpenApiDocument } from './types'

/** What stands for the server's address where none is configured: the one that a first start has. */
const USUAL_ADDRESS = 'http://localhost:3000'

/** The address in the examples of the document. */
export const exampleAddress = () => env().NEXTAUTH_URL?.replace(/\/$/, '') ?? USUAL_ADDRESS

function makeDocument(): OpenApiDocument {
  const base = exampleAddress()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Checkout Desk',
      version: '1.0.0',
      summary: 'What was sold, and who is let in.',
      description: makeGuide(base).trim(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: base, description: 'This server.' }],
    tags: [
      { name: 'Payments', description: 'One-time orders.' },
      { name: 'Bookings', description: 'Orders that contain tickets of an event.' },
      { name: 'Subscriptions', description: 'Recurring orders.' },
      { name: 'Coupons', description: 'Discounts that a customer enters by code.' },
      { name: 'Tickets', description: 'One seat each: a code that lets one guest in, once.' },
      { name: 'Server', description: 'How the server is, and this description of it. No key.' },
    ],
    paths: makePaths(base),
    components: {
      schemas: makeSchemas(),
      headers: HEADERS,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'desk_ and 36 letters and digits',
          description:
            'A key of the seller, in the header `Authorization: Bearer desk_…`. An operation names the scope that the key needs; `full` has them all.',
          'x-scopes': Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_MEANINGS[scope]])),
        },
      },
    },
  }
}

let made: OpenApiDocument | undefined
let text: string | undefined

export function openApiDocument(): OpenApiDocument {
  made ??= makeDocument()
  return made
}

/** @param own the address that the server was asked at, for the examples; where one is configured, that one counts */
export function openApiText(own: string): string {
  text ??= JSON.stringify(openApiDocument())
  return env().NEXTAUTH_URL === undefined ? text.replaceAll(USUAL_ADDRESS, own) : text
}
