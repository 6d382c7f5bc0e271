/** `GET /v1/events` and `GET /v1/events/{id}`. */
import { eventIdParam } from '../catalog/list-params'
import { ApiError } from '../core/errors'
import { eventParams } from '../events/event'
import { eventJson, findEvent, listEvents } from '../listing/list-events'
import { noParams, parseQuery } from './exchange'
import { defineRoute } from './handler'
import { parseId } from './record-route'

const SCOPE = 'events:read'

export const eventsRoute = defineRoute({
  method: 'GET',
  scope: SCOPE,
  async run({ request, principal }) {
    const { rows, hasMore } = await listEvents(principal.sellerId, parseQuery(request.url, eventParams))
    return { status: 200, body: `{"has_more":${hasMore},"data":[${rows.map(eventJson).join(',')}]}` }
  },
})

export const eventRoute = defineRoute({
  method: 'GET',
  scope: SCOPE,
  async run({ request, principal, path }) {
    parseQuery(request.url, noParams)
    const id = parseId(path.id, eventIdParam)
    const found = await findEvent(principal.sellerId, id)
    if (!found) throw new ApiError('record_not_found', `No event with id '${id}'. Events are kept for 30 days.`, 'id')
    return { status: 200, body: `{"data":${eventJson(found)}}` }
  },
})
