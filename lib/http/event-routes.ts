/** `GET /v1/events` and `GET /v1/events/{id}`. */
import { z } from 'zod'
import { ApiError } from '../core/errors'
import { eventIdParam, eventParams } from '../events/event'
import { eventJson, findEvent, listEvents } from '../listing/list-events'
import { parseQuery } from './exchange'
import { defineRoute } from './handler'

const SCOPE = 'events:read'
const noParams = z.strictObject({})

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
    const id = eventIdParam.safeParse(path.id)
    if (!id.success) throw new ApiError('parameter_invalid', `id ${id.error.issues[0]?.message}.`, 'id')
    const found = await findEvent(principal.sellerId, id.data)
    if (!found) throw new ApiError('record_not_found', `No event with id '${id.data}'. Events are kept for 30 days.`, 'id')
    return { status: 200, body: `{"data":${eventJson(found)}}` }
  },
})
