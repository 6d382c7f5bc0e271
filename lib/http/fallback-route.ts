/** The route for paths without an operation. */
import { LIST_OPERATIONS } from '../catalog'
import { ApiError } from '../core/errors'
import { refuseAlways } from './handler'

export const notFoundRoute = refuseAlways(
  ({ method }) =>
    new ApiError(
      'route_not_found',
      `No operation handles ${method} at this path. The lists are ${LIST_OPERATIONS}; /docs describes every operation.`,
    ),
)

export const invalidPathError = () =>
  new ApiError('path_invalid', 'The path is not valid percent-encoded UTF-8. Encode the values in it; a literal % is %25.')

/** The route for paths that cannot be decoded, which `server.ts` uses because they match no other route. */
export const invalidPathRoute = refuseAlways(invalidPathError)
