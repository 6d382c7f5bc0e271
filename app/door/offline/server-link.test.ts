/** When a device considers its server unreachable. */
import { expect, it } from 'vitest'
import { createServerLink } from './server-link'

/** Sends two requests, the older one first. `settle` takes the response to one of them, or undefined if the connection is lost. */
function sendTwo() {
  const pending: ((response: Response | undefined) => void)[] = []
  const send = () =>
    new Promise<Response>((resolve, reject) => {
      pending.push((response) => (response ? resolve(response) : reject(new TypeError('connection lost'))))
    })
  const link = createServerLink(send)
  const requests = ['/older', '/newer'].map((path) => link.request(path, { ms: 60_000, isScan: true }))
  const settle = async (index: 0 | 1, response: Response | undefined) => {
    pending[index]?.(response)
    await requests[index]
    return link.isOffline()
  }
  return { settle }
}

it('ignores the failure of a request if the server has responded to a newer one', async () => {
  const { settle } = sendTwo()
  expect(await settle(1, Response.json({}))).toBe(false)
  expect(await settle(0, undefined)).toBe(false)
})

it('is offline after the newest request has failed, until the server responds', async () => {
  const { settle } = sendTwo()
  expect(await settle(1, undefined)).toBe(true)
  expect(await settle(0, Response.json({}))).toBe(false)
})

it('gets a response to a probe even if it is a 503, but none if the connection is lost', async () => {
  const probe = (send: () => Promise<Response>) => createServerLink(send).probe('/door/scans', { ms: 60_000 })
  expect(await probe(async () => new Response(null, { status: 503 }))).toBe(true)
  expect(await probe(() => Promise.reject(new TypeError('connection lost')))).toBe(false)
})
