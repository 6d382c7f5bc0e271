/** Serves the API's description to anyone: what it says is no secret. */
import { defineOpenRoute } from '../handler'
import { openApiText } from './document'

/** `GET /v1/openapi.json`. */
export const openApiRoute = defineOpenRoute(async () => ({ status: 200, body: openApiText() }))
