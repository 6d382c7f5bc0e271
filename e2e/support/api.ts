/** Calls the API over HTTP, with a new seller and key for each test. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Scope } from '@/lib/accounts/scopes'
import type { ImportName } from '@/lib/sync/import/import'
import { findDifferences } from '@/testing/openapi'
import { importLines, type Line, makeKey, makeSeller } from '@/testing/seller'
import { test as base } from './browser'
import { expect } from './expect'

export type ApiResponse = {
  status: number
  headers: Headers
  text: string
  json: Line & { data: Line[]; total: number; has_more: boolean }
}

/** `key` overrides the seller's key; null sends none. */
export type CallOptions = { method?: string; key?: string | null; headers?: Record<string, string>; body?: string | Uint8Array | undefined }

export type Api = {
  /** The seller's ID. */
  seller: string
  /** One of the seller's API keys, with full access. */
  key: string
  keyId: string
  url: string
  /** Sends a request, with the seller's key by default. */
  call(path: string, options?: CallOptions): Promise<ApiResponse>
  /** Validates a ticket code. Checks in the ticket unless `body` says otherwise. */
  validate(code: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  /** Imports records. Fails the test if any is rejected. */
  load(resource: ImportName, lines: Line[]): Promise<void>
  /** Creates a key with these scopes for the seller. @returns the key */
  keyWith(...scopes: Scope[]): Promise<string>
}

/** Returns a random IPv6 address. */
export const newAddress = () => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`

/** Creates a seller with an API key. @param url the server's URL */
export async function makeApi(url: string, timeZone?: string): Promise<Api> {
  const seller = await makeSeller(timeZone)
  const { id: keyId, key } = await makeKey(seller)
  // The server limits how often an address can use keys that it does not know yet.
  const address = newAddress()
  const call: Api['call'] = async (path, { method = 'GET', key: sentKey = key, headers = {}, body } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'X-Forwarded-For': address, ...(sentKey === null ? {} : { Authorization: `Bearer ${sentKey}` }), ...headers },
      ...(body === undefined ? {} : { body: body as BodyInit }),
      redirect: 'manual',
    })
    const text = await response.text()
    let json = {} as ApiResponse['json']
    try {
      json = JSON.parse(text)
    } catch {
      // The body is empty or not JSON. It is available as `text`.
    }
    // Every response in every test must match the OpenAPI document.
    const differences = findDifferences({ method, url: path, status: response.status, headers: response.headers, text })
    expect(differences).toEqual([])
    return { status: response.status, headers: response.headers, text, json }
  }
  return {
    seller,
    key,
    keyId,
    url,
    call,
    validate: (code, body, headers = {}) =>
      call(`/v1/tickets/validate/${encodeURIComponent(code)}`, {
        method: 'POST',
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    load: async (resource, lines) => {
      const { rejects } = await importLines(resource, seller, lines)
      expect(rejects).toEqual([])
    },
    keyWith: async (...scopes) => (await makeKey(seller, ...scopes)).key,
  }
}

/** Waits until no server accepts a revoked key any longer, which takes up to a second. */
export const untilRevoked = () => pause(1_050)

/** Extends `test` with `api`, which calls the API as a new seller. `another` creates additional sellers. */
export const test = base.extend<{ api: Api; another: (timeZone?: string) => Promise<Api>; baseUrl: string }>({
  baseUrl: async ({ browserName: _ }, use) => use(String(process.env.TEST_SERVER_URL)),
  another: async ({ baseUrl }, use) => {
    await use((timeZone) => makeApi(baseUrl, timeZone))
  },
  api: async ({ baseUrl }, use) => {
    await use(await makeApi(baseUrl))
  },
})

export { expect }

/** Expects a well-formed error response with the given status, code and parameter. */
export function expectError(response: ApiResponse, status: number, code: string, param?: string): void {
  expect({ status: response.status, code: response.json.code, param: response.json.param }, response.text).toEqual({ status, code, param })
  const { error, message, requestId, ...rest } = response.json
  const problems = describeWrongHeaders(response)
  if (!/^[A-Z][A-Za-z ]+$/.test(String(error))) problems.push(`the error is ${error}`)
  if (String(message).length <= 20) problems.push(`the message is ${message}`)
  if (requestId !== response.headers.get('request-id')) problems.push(`the request ID is ${requestId}`)
  expect([Object.keys(rest).sort(), problems]).toEqual([param === undefined ? ['code'] : ['code', 'param'], []])
}

const EXPECTED_HEADERS: [name: string, value: RegExp][] = [
  ['content-type', /^application\/json; charset=utf-8$/],
  ['cache-control', /^no-store$/],
  ['request-id', /^req_[0-9a-z]+$/],
]

/** Describes the headers of a JSON response that are wrong, missing or not allowed. */
export function describeWrongHeaders({ headers }: ApiResponse): string[] {
  const wrong = EXPECTED_HEADERS.filter(([name, value]) => !value.test(headers.get(name) ?? '')).map(([name]) => name)
  return [...wrong, ...(headers.has('access-control-allow-origin') ? ['access-control-allow-origin'] : [])].map(
    (name) => `the header ${name} is ${headers.get(name)}`,
  )
}

export const expectHeaders = (response: ApiResponse) => expect(describeWrongHeaders(response)).toEqual([])
