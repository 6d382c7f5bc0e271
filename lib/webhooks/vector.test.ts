/** The delivery in the API reference is a test vector, which another implementation of Standard Webhooks can verify. */
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, it, vi } from 'vitest'
import { openApiDocument } from '../http/openapi/document'

afterEach(() => {
  vi.useRealTimers()
})

it('the signature of the delivery in the API reference matches the secret, headers and body in the reference', () => {
  const { description } = openApiDocument().info
  const [, head = '', body = ''] = /```text\nPOST \/hook HTTP\/1\.1\n([\s\S]*?)\n\n(.*)\n```/.exec(description) ?? []
  const headers = Object.fromEntries(head.split('\n').map((line) => line.split(/: (.*)/).slice(0, 2)))
  const [secret = ''] = /whsec_[\w+/]{40,}=*/.exec(description) ?? []
  expect(headers['webhook-signature']).toBe('v1,dFjHvhZfYv7807PVsb32Hl9ftEySeIh3AqzEUGR0nLo=')
  vi.useFakeTimers({ now: Number(headers['webhook-timestamp']) * 1000 })
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'coupon.created', data: { code: 'EARLY' } })
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature')
})
