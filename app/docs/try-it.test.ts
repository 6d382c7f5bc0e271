/** Tests the responses that "Try it" shows. */
import { afterEach, expect, it, vi } from 'vitest'
import { sendRequest } from './try-it'

afterEach(() => vi.unstubAllGlobals())

const operation = { method: 'DELETE', path: '/v1/webhook_endpoints/{id}', fields: [{ name: 'id', in: 'path' as const }] }

it.each([
  ['an empty response', new Response(null, { status: 204 }), { status: 204, text: '' }],
  ['a response that is not JSON', new Response('<h1>Bad Gateway</h1>', { status: 502 }), { status: 502, text: '<h1>Bad Gateway</h1>' }],
  ['a JSON response, indented', new Response('{"data":{}}'), { status: 200, text: '{\n  "data": {}\n}', next: undefined }],
  ['a list, with the cursor of the next page', new Response('{"has_more":true,"data":[{"id":"a"}]}'), { status: 200, next: 'a' }],
])('returns %s', async (_, response, result) => {
  const fetch = vi.fn(async () => response)
  vi.stubGlobal('fetch', fetch)
  expect(await sendRequest(operation, { id: 'we_1' }, undefined)).toMatchObject(result)
  expect(fetch).toHaveBeenCalledWith('/v1/webhook_endpoints/we_1', expect.objectContaining({ method: 'DELETE' }))
})

it('rejects if there is no response', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(sendRequest(operation, { id: 'we_1' }, undefined)).rejects.toThrow(TypeError)
})
