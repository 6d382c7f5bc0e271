/** The answer to a path at which no operation is. */

import { resources } from '../catalog'
import { ApiError } from '../core/errors'
import { refuseAlways } from './handler'

const lists = Object.keys(resources)
  .map((name) => `GET /v1/${name}`)
  .join(', ')

export const notFoundRoute = refuseAlways(
  ({ method }) =>
    new ApiError(
      'route_not_found',
      `No operation answers ${method} at this path. There are ${lists} and POST /v1/tickets/validate/{qrCode}.`,
    ),
)

/** For `server.ts`: a path that can't be decoded never reaches a router. */
export const invalidPathRoute = refuseAlways(
  () => new ApiError('path_invalid', 'The path is not valid percent-encoded UTF-8. Encode what you put into it; a plain % is %25.'),
)
