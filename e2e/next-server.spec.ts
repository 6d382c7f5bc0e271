/** Tests the API's route handlers under `next start`, as in a deployment without `server.ts`. */
import { minimal } from '@/testing/seller'
import { expect, expectError, makeApi, test } from './support/api'
import { serveNext, stop } from './support/processes'

test('under `next start`, the API returns the same lists and records, validates tickets and rejects invalid requests', async ({ api }) => {
  const server = await serveNext({ DATABASE_URL: process.env.TEST_DATABASE_URL, DATA_DIR: process.env.TEST_DATA_DIR })
  try {
    const next = await makeApi(server.url)
    const [payment, ticket] = [minimal('payments'), minimal('tickets', { qrCode: 'a/b %&?#ü+' })]
    await next.load('payments', [payment])
    await next.load('tickets', [ticket])
    const path = '/v1/payments?limit=1'
    const list = await next.call(path)
    expect(list.status).toBe(200)
    expect(list.json).toMatchObject({ total: 1, has_more: false, data: [{ id: payment.id, sellerId: next.seller }] })
    expect(list.text).toBe((await api.call(path, { key: next.key })).text)
    const single = `/v1/payments/${payment.id}`
    expect((await next.call(single)).text).toBe((await api.call(single, { key: next.key })).text)
    expectError(await next.call('/v1/tickets/validate'), 404, 'route_not_found')
    expect((await next.validate(String(ticket.qrCode))).json).toMatchObject({ success: true, ticket: { id: ticket.id } })
    expect((await next.validate(String(ticket.qrCode))).json).toMatchObject({ success: false, reason: 'already_checked_in' })
    expectError(await next.call('/v1/payments?limit=0'), 400, 'parameter_invalid', 'limit')
    for (const path of ['/v1/nothing', '/api/v1/nothing', '/api/v2/payments', '/api/nothing']) {
      expectError(await next.call(path), 404, 'route_not_found')
    }
  } finally {
    await stop(server)
  }
})
