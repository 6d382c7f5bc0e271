/** Changes the status of pages that fail because of an outage to 503. Next sends a 500 for any error. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { RequestListener } from 'node:http'
import { OUTAGES } from '@/db/unavailable'
import { EXPLAINED_OUTAGES } from '../core/explained-outages'

/** Whether the database was unavailable to the request that is being handled, and no message to the user explains it. */
const requests = new AsyncLocalStorage<{ sawOutage: boolean }>()

const setOutage = (sawOutage: boolean) => () => {
  const request = requests.getStore()
  if (request) request.sawOutage = sawOutage
}

subscribe(OUTAGES, setOutage(true))
// A 503 would replace the message with one about outages in general (`app/send-once.ts`).
subscribe(EXPLAINED_OUTAGES, setOutage(false))

/** Returns a handler that sends a 503 with Retry-After if a page fails because of an outage. @param page Next's handler */
export const respondToOutages =
  (page: RequestListener): RequestListener =>
  (incoming, outgoing) => {
    const request = { sawOutage: false }
    const { writeHead } = outgoing
    outgoing.writeHead = (status: number, ...rest: unknown[]) => {
      const isOutage = status === 500 && request.sawOutage
      if (isOutage) outgoing.setHeader('Retry-After', '1')
      return Reflect.apply(writeHead, outgoing, [isOutage ? 503 : status, ...rest])
    }
    requests.run(request, () => page(incoming, outgoing))
  }
