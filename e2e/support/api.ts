/** The API as a test calls it: over HTTP, with a seller and a key of the test's own. */
import { setTimeout as pause } from 'node:timers/promises'
import { test as base, expect } from 'playwright/test'
import type { Scope } from '@/lib/accounts/scopes'
import type { ImportName } from '@/lib/sync/import/import'
import { faultsOf } from '@/testing/openapi'
import { importLines, type Line, makeKey, makeSeller } from '@/testing/seller'

export type Answer = { status: number; headers: Headers; text: string; json: Line & { data: Line[]; total: number; has_more: boolean } }

export type Call = { method?: string; key?: string | null; headers?: Record<string, string>; body?: string | Uint8Array | undefined }

export type Api = {
  seller: string
  key: string
  keyId: string
  url: string
  /** A request by this seller's key, unless told otherwise; `key: null` sends none. */
  call(path: string, call?: Call): Promise<Answer>
  validate(code: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  load(resource: ImportName, lines: Line[]): Promise<void>
  /** A key of this seller with some scopes. */
  keyWith(...scopes: Scope[]): Promise<string>
}

export async function makeApi(url: string, timeZone?: string): Promise<Api> {
  const seller = await makeSeller(timeZone)
  const { id: keyId, key } = await makeKey(seller)
  const call: Api['call'] = async (path, { method = 'GET', key: given = key, headers = {}, body } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(given === null ? {} : { Authorization: `Bearer ${given}` }), ...headers },
      ...(body === undefined ? {} : { body: body as BodyInit }),
      redirect: 'manual',
    })
    const text = await response.text()
    let json = {} as Answer['json']
    try {
      json = JSON.parse(text)
    } catch {
      // An answer without a body, or one that a test will find fault with by its text.
    }
    // Whatever a test is about, its answers are held against the description of the API.
    expect(faultsOf({ method, url: path, status: response.status, headers: response.headers, text })).toEqual([])
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

/** Waits until no server accepts a revoked key any more: the contract gives them one second. */
export const untilRevoked = () => pause(1_050)

/** Each test has an `api` of its own, and may make `another` seller's. */
export const test = base.extend<{ api: Api; another: (timeZone?: string) => Promise<Api>; baseUrl: string }>({
  baseUrl: async ({ browserName: _ }, use) => use(String(process.env.TEST_URL_SERVER)),
  another: async ({ baseUrl }, use) => {
    await use((timeZone) => makeApi(baseUrl, timeZone))
  },
  api: async ({ baseUrl }, use) => {
    await use(await makeApi(baseUrl))
  },
})

export { expect }

/** An error as the contract has it: flat, its code, its status, the parameter at fault. */
export function expectError(answer: Answer, status: number, code: string, param?: string): void {
  expect({ status: answer.status, code: answer.json.code, param: answer.json.param }, answer.text).toEqual({ status, code, param })
  const { error, message, requestId, ...rest } = answer.json
  expect(Object.keys(rest).sort()).toEqual(param === undefined ? ['code'] : ['code', 'param'])
  expect(String(error)).toMatch(/^[A-Z][A-Za-z ]+$/)
  expect(String(message).length).toBeGreaterThan(20)
  expect(requestId).toBe(answer.headers.get('request-id'))
  expectHeaders(answer)
}

export function expectHeaders({ headers }: Answer): void {
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('request-id')).toMatch(/^req_[0-9a-z]+$/)
  expect(headers.get('access-control-allow-origin')).toBeNull()
}
