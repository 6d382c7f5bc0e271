/** Generates hostile requests as raw bytes: random ones and a list of named ones. */
import fc from 'fast-check'
import { RESOURCE_NAMES } from '@/lib/catalog'
import { writeOperations } from '@/lib/catalog/write-operations'
import { anyText } from '@/testing/texts'

export const HOSTILE_TEXTS = [
  '',
  '%',
  '_',
  '\\',
  '%25',
  '%00',
  '%0d%0a',
  '%c3%28',
  '%ed%a0%80',
  '%f0%9f%98%80',
  '..',
  '.',
  '../..',
  '..%2f..%2f',
  '%2e%2e%2f',
  '%5c',
  '‮',
  'ﷺ',
  '\u0000',
  "'",
  '"',
  "';--",
  '\u0024{jndi:ldap://x}',
  '{{7*7}}',
  '<img src=x onerror=alert(1)>',
  '=HYPERLINK("http://x")',
  '__proto__',
  'constructor',
  'toString',
  '-1',
  '0',
  '101',
  '1e2',
  '0x10',
  '٣',
  '99999999999999999999',
  'NaN',
  'null',
  'true',
  '[]',
  '{}',
  'a'.repeat(201),
  'a'.repeat(5000),
  '😀'.repeat(200),
  'f'.repeat(24),
  'F'.repeat(24),
  'g'.repeat(24),
  'paid',
  'PAID',
  '2026-03-01',
  '2026-02-30',
  '-2026-03-01',
  '2026-03-01T00:00:00Z',
  '1772323200',
]

/** An unknown member name, and the members of all request bodies. */
const HOSTILE_MEMBERS = ['x', ...new Set(writeOperations.flatMap(({ body }) => Object.keys(body?.shape ?? {})))]

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 2, arbitrary: anyText({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 250 }) },
)
/** Generates text for a path or query, raw or encoded. Text that is not allowed in a request line is always encoded. */
const urlText = fc
  .tuple(text, fc.boolean())
  .map(([value, isRaw]) => (isRaw && /^[\x21-\x7e]*$/.test(value) ? value.replace(/[#?]/g, '') : encodeURIComponent(value.toWellFormed())))
const PARAMETERS = [
  'limit',
  'starting_after',
  'ending_before',
  'search',
  'status',
  'pageId',
  'created[gte]',
  'created[lt]',
  'Limit',
  'x',
  '',
]
const query = fc
  .array(fc.tuple(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PARAMETERS) }, { weight: 1, arbitrary: urlText }), urlText), {
    maxLength: 4,
  })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`))
/** Generates the method and path of an operation that changes records. */
const write = fc
  .tuple(fc.constantFrom(...writeOperations), urlText)
  .map(([{ method, path }, id]) => ({ method: String(method), path: path.replace('/v1/', '').replace('{id}', id) }))
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...RESOURCE_NAMES) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...RESOURCE_NAMES), urlText).map((parts) => parts.join('/')) },
  { weight: 4, arbitrary: urlText.map((code) => `tickets/validate/${code}`) },
  { weight: 1, arbitrary: fc.array(urlText, { maxLength: 4 }).map((parts) => parts.join('/')) },
  { weight: 1, arbitrary: fc.constant('openapi.json') },
)
/** Returns the method to use with a path. Most generated paths under `tickets/` are for validation. */
const getMethod = (path: string) => (path.startsWith('tickets/') ? 'POST' : 'GET')
const operation = fc.oneof(
  { weight: 4, arbitrary: path.map((value) => ({ method: getMethod(value), path: value })) },
  { weight: 1, arbitrary: write },
)
const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']
/** Generates a header value from the ASCII characters that are allowed: tabs, spaces and visible characters (RFC 9110, section 5.5). */
const headerValue = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary-ascii', maxLength: 80 })).map((value) =>
  [...value]
    .filter((character) => /[\t\x20-\x7e]/.test(character))
    .join('')
    .slice(0, 300),
)
const HEADERS = [
  'Idempotency-Key',
  'If-Match',
  'Device',
  'Content-Type',
  'Content-Encoding',
  'Accept',
  'Origin',
  'Cookie',
  'X-Forwarded-For',
  'Range',
  'If-None-Match',
  'Expect',
  'Date',
]
/** Generates example bodies of operations with up to two members replaced or added. */
const nearlyValid = fc
  .tuple(
    fc.constantFrom(...writeOperations.flatMap(({ example }) => example ?? [])),
    fc.dictionary(fc.constantFrom(...HOSTILE_MEMBERS), fc.oneof(text, fc.jsonValue()), { maxKeys: 2 }),
  )
  .map(([example, changes]) => JSON.stringify(Object.assign({}, example, changes)))
const body = fc.oneof(
  nearlyValid,
  fc.constant(''),
  fc.json(),
  text,
  fc
    .record(
      {
        metadata: fc.oneof(fc.array(fc.record({ key: text, value: fc.option(text) }), { maxLength: 6 }), fc.jsonValue()),
        checkIn: fc.oneof(fc.boolean(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
)

export type GeneratedRequest = { method: string; target: string; bytes: Buffer }

/** Generates a request with the given key, an invalid one, or none. */
export const generatedRequest = (key: string) =>
  fc
    .record({
      // Usually undefined, so that the operation's own method is used. Other methods are rejected before anything else is checked.
      otherMethod: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...METHODS) }),
      prefix: fc.constantFrom('/v1/', '/v1/', '/v1/', '/v1/', '/v1/', '/api/v1/', '/api/v1/', '/v1//', '/V1/'),
      operation,
      slash: fc.constantFrom('', '', '/'),
      query: fc.oneof(fc.constant(''), query),
      headers: fc.array(fc.tuple(fc.constantFrom(...HEADERS), headerValue), { maxLength: 3 }),
      key: fc.oneof({ weight: 10, arbitrary: fc.constant(key) }, { weight: 1, arbitrary: fc.constantFrom('desk_x', '') }),
      isJson: fc.boolean(),
      body,
    })
    .map(({ otherMethod, prefix, operation: { method: ownMethod, path }, slash, query, headers, key, isJson, body }): GeneratedRequest => {
      const content = Buffer.from(body)
      const method = otherMethod ?? ownMethod
      const target = `${prefix}${path}${slash}${query}`
      const lines = [
        `${method} ${target} HTTP/1.1`,
        'Host: x',
        // Failed authentication is rate-limited per address, so use many addresses that no other test uses.
        `X-Forwarded-For: 198.51.${content.length % 256}.${target.length % 256}`,
        ...(key ? [`Authorization: Bearer ${key}`] : []),
        ...(isJson ? ['Content-Type: application/json'] : []),
        // Send the correct length, so that the next request on this connection is parsed correctly.
        `Content-Length: ${content.length}`,
        ...headers.map(([name, value]) => `${name}: ${value}`),
      ]
      return { method, target, bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), content]) }
    })

/** Returns named requests: each hostile text in each place that accepts text, and various malformed requests. */
export function hostileRequests(key: string): { name: string; bytes: (string | Buffer)[] }[] {
  const auth = `Host: x\r\nAuthorization: Bearer ${key}\r\n`
  const list: { name: string; bytes: (string | Buffer)[] }[] = []
  const add = (name: string, ...bytes: (string | Buffer)[]) => list.push({ name, bytes })
  const encode = (value: string) => encodeURIComponent(value.toWellFormed())
  for (const value of HOSTILE_TEXTS) {
    const label = JSON.stringify(value.slice(0, 30))
    for (const parameter of ['search', 'limit', 'starting_after', 'ending_before', 'status', 'pageId', 'created[lte]']) {
      add(`${parameter}=${label}`, `GET /v1/payments?${parameter}=${encode(value)} HTTP/1.1\r\n${auth}\r\n`)
    }
    add(`the code ${label}`, `POST /v1/tickets/validate/${encode(value)} HTTP/1.1\r\n${auth}\r\n`)
    add(`the ID ${label}`, `GET /v1/payments/${encode(value)} HTTP/1.1\r\n${auth}\r\n`)
    add(`the path ${label}`, `GET /v1/${encode(value)} HTTP/1.1\r\n${auth}\r\n`)
    add(`the parameter ${label}`, `GET /v1/coupons?${encode(value)}=1 HTTP/1.1\r\n${auth}\r\n`)
    const json = Buffer.from(JSON.stringify({ metadata: [{ key: value, value }] }))
    add(
      `metadata ${label}`,
      `POST /v1/tickets/validate/x HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n`,
      json,
    )
  }
  // These are sent as is. They include NUL, invalid UTF-8, an unpaired surrogate and an encoded slash.
  for (const raw of [
    '%00',
    '%c3%28',
    '%ed%a0%80',
    '%ff',
    '%',
    '%e',
    '%u0041',
    '..%2f',
    '%0d%0aX-A:%20b',
    '%e2%80%ae',
    '+',
    '%f0%9f%98%80'.repeat(200),
  ]) {
    const label = raw.slice(0, 12)
    add(`search=${label} as is`, `GET /v1/payments?search=${raw} HTTP/1.1\r\n${auth}\r\n`)
    add(`the ID ${label} as is`, `GET /v1/payments/${raw} HTTP/1.1\r\n${auth}\r\n`)
    add(`the code ${label} as is`, `POST /v1/tickets/validate/${raw} HTTP/1.1\r\n${auth}\r\n`)
  }
  const post = (headers: string, body: string | Buffer) => [
    `POST /v1/tickets/validate/x HTTP/1.1\r\n${auth}Content-Type: application/json\r\n${headers}\r\n`,
    body,
  ]
  const sized = (body: string | Buffer) => post(`Content-Length: ${Buffer.byteLength(body)}\r\n`, body)
  add('a body nested 10,000 deep', ...sized('['.repeat(10_000) + ']'.repeat(10_000)))
  add('metadata nested 10,000 deep', ...sized(`{"metadata":${'['.repeat(10_000)}${']'.repeat(10_000)}}`))
  for (const member of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty']) {
    add(`the member ${member}`, ...sized(`{"${member}":{"success":true}}`))
    add(`metadata with the key ${member}`, ...sized(`{"metadata":[{"key":"${member}","value":"x"}]}`))
  }
  for (const body of [
    '\ufeff{}',
    '{"a":1,}',
    '{',
    '}',
    '[',
    '"',
    'NaN',
    '1e999',
    '\u0000',
    '{"metadata":1e999}',
    "{'a':1}",
    '//',
    '{"checkIn":"true"}',
    '{"checkIn":1}',
    '{"metadata":[{"key":"x","value":"\\ud800"}]}',
    '{"metadata":[{"key":"x","value":"\\u0000"}]}',
    '{"metadata":[{"key":"__proto__","value":null}]}',
  ]) {
    add(`the body ${JSON.stringify(body)}`, ...sized(body))
  }
  add('a body that is not UTF-8', ...sized(Buffer.from([0x22, 0xff, 0xfe, 0x22])))
  for (const type of ['text/plain', 'application/xml', 'application/json; charset=utf-16', 'multipart/form-data', ' ']) {
    add(`the media type ${type}`, `POST /v1/tickets/validate/x HTTP/1.1\r\n${auth}Content-Type: ${type}\r\nContent-Length: 2\r\n\r\n{}`)
  }
  for (const encoding of ['gzip', 'br', 'deflate, gzip', 'x'])
    add(`the encoding ${encoding}`, ...post(`Content-Encoding: ${encoding}\r\nContent-Length: 2\r\n`, '{}'))
  const lengths = [
    '-1',
    '1, 1',
    '0x2',
    '2 2',
    '99999999999999999999',
    'two',
    '+2',
    '1\r\nContent-Length: 2',
    '2\r\nTransfer-Encoding: chunked',
  ]
  for (const length of lengths) add(`the length ${JSON.stringify(length)}`, ...post(`Content-Length: ${length}\r\n`, '{}'))
  for (const coding of [
    'identity, chunked',
    'chunked, identity',
    'x',
    'chunked\r\nTransfer-Encoding: identity',
    ' chunked',
    'chunKed, x',
  ]) {
    add(`the transfer coding ${JSON.stringify(coding)}`, ...post(`Transfer-Encoding: ${coding}\r\n`, '2\r\n{}\r\n0\r\n\r\n'))
  }
  for (const size of ['fffffffffffffffff', '-1', 'x', '2;a=b', ' 2', '0x2'])
    add(`the chunk size ${size}`, ...post('Transfer-Encoding: chunked\r\n', `${size}\r\n{}\r\n0\r\n\r\n`))
  // Send more than the maximum body size, because the server checks the data it receives instead of the declared chunk size.
  for (const size of ['7fffffff', 'ffffffff', '1fffffffffffff'])
    add(`a chunk that declares the size ${size}`, ...post('Transfer-Encoding: chunked\r\n', `${size}\r\n${' '.repeat(70_000)}`))
  for (const path of [
    '//',
    '//v1/coupons',
    '/v1/..%2fcoupons',
    '/v1/../v1/coupons',
    '/..%2f..%2fetc/passwd',
    '/v1/coupons%00',
    '/v1/coupons;x',
    '/v1/coupons/%2e',
    '/%2f',
    '/v1\\coupons',
    '*',
    '/v1/%',
    '/v1/%zz',
  ]) {
    add(`the target ${path}`, `PUT ${path} HTTP/1.1\r\n${auth}\r\n`)
    if (/v1/i.test(path)) add(`GET ${path}`, `GET ${path} HTTP/1.1\r\n${auth}\r\n`)
  }
  add('two hosts', `GET /v1/coupons HTTP/1.1\r\nHost: a\r\n${auth}\r\n`)
  for (const host of ['a b', 'http://x', 'x:99999', '[::1', '<x>', '\u00ff'])
    add(`the host ${host}`, `GET /v1/coupons HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  add('two keys', `GET /v1/coupons HTTP/1.1\r\n${auth}Authorization: Bearer desk_x\r\n\r\n`)
  for (const authorization of [
    'Bearer',
    'Bearer  ',
    `bearer ${key} x`,
    `Basic ${key}`,
    `Bearer ${'a'.repeat(8_000)}`,
    'Bearer desk_\u00e9',
  ]) {
    add(`the authorization ${authorization.slice(0, 20)}`, `GET /v1/coupons HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
  }
  add('a header of 16 KB', `GET /v1/coupons HTTP/1.1\r\n${auth}X-Long: ${'a'.repeat(16_384)}\r\n\r\n`)
  add('3,000 headers', `GET /v1/coupons HTTP/1.1\r\n${auth}${'a: b\r\n'.repeat(3_000)}\r\n`)
  add('a header without a name', `GET /v1/coupons HTTP/1.1\r\n${auth}: x\r\n\r\n`)
  add('a folded header', `GET /v1/coupons HTTP/1.1\r\n${auth}X-A: b\r\n c\r\n\r\n`)
  add('bare line feeds', `GET /v1/coupons HTTP/1.1\n${auth.replaceAll('\r', '')}\n`)
  add('a NUL in a header', `GET /v1/coupons HTTP/1.1\r\n${auth}X-A: \0\r\n\r\n`)
  for (const version of ['HTTP/9.9', 'HTTP/2.0', 'HTTP/1', 'FTP/1.1', ''])
    add(`the protocol ${version}`, `GET /v1/coupons ${version}\r\n${auth}\r\n`)
  for (const method of ['get', 'GE T', 'G\u00cbT', 'CONNECT', 'TRACE', 'PRI', 'X'.repeat(2_000)])
    add(`the method ${method.slice(0, 9)}`, `${method} /v1/coupons HTTP/1.1\r\n${auth}\r\n`)
  for (const name of ['Device', 'Idempotency-Key']) {
    for (const value of ['', ' ', '\u00ff\u00fe', 'a'.repeat(300), '\u0001', '\t', '😀']) {
      add(
        `${name}: ${JSON.stringify(value.slice(0, 9))}`,
        Buffer.from(`POST /v1/tickets/validate/x HTTP/1.1\r\n${auth}${name}: ${value}\r\nContent-Length: 0\r\n\r\n`, 'utf8'),
      )
    }
  }
  add('a TLS handshake', Buffer.from('16030100a5010000a10303', 'hex'))
  add('empty lines and an incomplete request line', '\r\n\r\n\r\n\r\nGET\r\n\r\n')
  return list
}
