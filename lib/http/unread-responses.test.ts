/** Lists that clients do not read are limited, because they stay in memory. */
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { makeKey, makeSeller, openTestDatabase } from '@/testing/seller'
import { resources } from '../catalog'
import { fromRequest, toResponse, writeReply } from './exchange'
import { listRoute } from './list-route'

beforeAll(openTestDatabase)

const { endpoint } = listRoute(resources.coupons).GET

const list = async (key: string) => {
  const request = fromRequest(new Request('http://x/v1/coupons', { headers: { Authorization: `Bearer ${key}` } }))
  return toResponse(await (endpoint.byMethod.get('GET') ?? endpoint.other)(request, {}))
}

it('rejects further lists of a seller while 16 MiB are unread, and accepts them once the connection is closed', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const [own, others] = [(await makeKey(seller)).key, (await makeKey(other)).key]
  const body = 'a'.repeat(16 * 1024 * 1024)
  const server = createServer((incoming, outgoing) => writeReply(incoming, outgoing, { status: 200, headers: {}, body, sellerId: seller }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const refused = await list(own)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await list(others)).status).toBe(200)
  response.destroy()
  await expect.poll(async () => (await list(own)).status).toBe(200)
  server.close()
})
