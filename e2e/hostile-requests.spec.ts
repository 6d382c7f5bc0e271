/** Tests that hundreds of hostile requests and 16 MiB bodies each get a JSON response, without a server error or a hang. */
import { minimal } from '@/testing/seller'
import { expect, test } from './support/api'
import { findProblem } from './support/check-response'
import { sendRaw } from './support/raw'
import { hostileRequests } from './support/requests'

test('at least 500 hostile requests each get a JSON response, without a server error or a hang', async ({ api }) => {
  await api.load('payments', [minimal('payments', { customerEmail: 'a@example.com' })])
  await api.load('tickets', [minimal('tickets', { qrCode: 'x' })])
  const requests = hostileRequests(api.key)
  expect(requests.length).toBeGreaterThanOrEqual(500)
  const problems: string[] = []
  for (const { name, bytes } of requests) {
    const problem = await sendRaw(api.url, bytes).then(findProblem, (error: Error) => error.message)
    if (problem) problems.push(`${name}: ${problem}`)
  }
  expect(problems).toEqual([])
  expect((await api.call('/v1/payments')).json.total).toBe(1)
})

test('16 MiB bodies are rejected before they have been fully received, with and without a Content-Length', async ({ api }) => {
  const head = `POST /v1/tickets/validate/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n`
  const piece = Buffer.alloc(1 << 16, ' ')
  const withLength = await sendRaw(api.url, [`${head}Content-Length: ${16 << 20}\r\n\r\n`, ...Array.from({ length: 256 }, () => piece)])
  expect([withLength.status, findProblem(withLength)]).toEqual([413, undefined])
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
  const chunked = await sendRaw(api.url, [`${head}Transfer-Encoding: chunked\r\n\r\n`, ...Array.from({ length: 256 }, () => chunk)])
  expect([chunked.status, findProblem(chunked)]).toEqual([413, undefined])
})
