/** The routes for API paths without an operation, and for paths that cannot be decoded. */
import { LIST_OPERATIONS } from '../catalog'
import { ApiError } from '../core/errors'
import { refuseAlways } from './handler'

export const notFoundRoute = refuseAlways(
  ({ method }) =>
    new ApiError(
      'route_not_found',
      `No operation handles ${method} at this path. The list operations are ${LIST_OPERATIONS}. See /docs for all operations.`,
    ),
)

export const invalidPathError = () =>
  new ApiError('path_invalid', 'The path is not valid percent-encoded UTF-8. Percent-encode the values in it, and a literal % as %25.')

/** The route for paths that cannot be decoded. `server.ts` uses it, because such paths match no other route. */
export const invalidPathRoute = refuseAlways(invalidPathError)
