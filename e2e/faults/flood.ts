/**
 * Floods a server with requests until it receives a SIGTERM, then prints the number of requests sent and of responses per status as JSON.
 * Usage: `flood.ts JSON`, where `JSON` is a `Flood`.
 */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { generateKey } from '@/lib/accounts/verify-key'

/** The requests to send. In paths, headers, cookies and forms, `#` is replaced with the request's number. */
export type Flood = {
  url: string
  /** The number of clients. Each has its own address and waits for a response before sending the next request. */
  clients: number
  /** If set, requests are sent at this rate per second without waiting for responses, with at most `clients` in flight. */
  perSecond?: number
  method?: string
  paths: string[]
  headers?: Record<string, string>
  /** Values for the Cookie header, used in rotation. */
  cookies?: string[]
  /** The fields of a form to send as the body. */
  form?: Record<string, string>
  /** The size of the body in bytes. */
  bytes?: number
  /** Whether to send the body at one byte per second. */
  isSlow?: boolean
  /** Whether to send all but the last byte of the body. */
  isIncomplete?: boolean
  /** The kind of invalid API keys to send: unknown ones, ones with an invalid checksum, or text that is not a key. */
  keys?: 'forged' | 'wrong' | 'malformed'
}

const flood = JSON.parse(process.argv[2] ?? '{}') as Flood
const { url, clients, perSecond, method = 'GET', paths, headers = {}, cookies = [], form, bytes = 0, isSlow, isIncomplete, keys } = flood
const TIMEOUT_MS = 20_000
const CHUNK = Buffer.alloc(64 * 1024, 'a')
const counts: Record<string, number> = {}
let sent = 0

const insertNumber = (text: string, number: number) => text.replaceAll('#', String(number))
const insertNumbers = (texts: Record<string, string>, number: number) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, insertNumber(text, number)]))

function makeKey(): string {
  const key = generateKey()
  if (keys === 'forged') return key
  // Change the last digit, which is part of the checksum.
  return keys === 'wrong' ? key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x') : 'not-a-key'
}

/** Sends a request and reads its response. @returns the status, or 0 if no complete response arrived */
function send(number: number, client: number, agent: Agent): Promise<number> {
  const cookie = cookies[number % cookies.length]
  const text = form && new URLSearchParams(insertNumbers(form, number)).toString()
  const length = text === undefined ? bytes : Buffer.byteLength(text)
  const allHeaders = {
    'X-Forwarded-For': `2001:db8:${client.toString(16)}::1`,
    ...(cookie !== undefined && { Cookie: insertNumber(cookie, number) }),
    ...(keys && { Authorization: `Bearer ${makeKey()}` }),
    ...(text !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    ...(length > 0 && { 'Content-Length': String(length) }),
    ...insertNumbers(headers, number),
  }
  return new Promise((resolve) => {
    const options = { method, headers: allHeaders, agent, timeout: TIMEOUT_MS }
    const call = request(url + insertNumber(paths[number % paths.length] ?? '/', number), options, (response) => {
      response.resume()
      response.on('error', () => resolve(0))
      response.on('close', () => {
        resolve(response.statusCode ?? 0)
        // The server may have responded without reading the rest of the body.
        if (!call.writableFinished) call.destroy()
      })
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(0))
    if (text !== undefined || bytes === 0) {
      call.end(text)
      return
    }
    const write = (left: number): void => {
      if (call.destroyed) return
      if (left <= CHUNK.length) call.end(CHUNK.subarray(0, left))
      else if (call.write(CHUNK)) write(left - CHUNK.length)
      else call.once('drain', () => write(left - CHUNK.length))
    }
    write(bytes)
  })
}

/**
 * Sends headers, then either one byte of the body per second or all but the last byte at once. Resolves when the server closes the
 * connection.
 *
 * @returns the status, or 0 if no response arrived
 */
function sendIncomplete(client: number): Promise<number> {
  const { hostname, port } = new URL(url)
  const allHeaders = {
    Host: hostname,
    'X-Forwarded-For': `2001:db8:${client.toString(16)}::1`,
    'Content-Length': String(bytes),
    ...headers,
  }
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.write(`${method} ${paths[0]} HTTP/1.1\r\n${lines.join('')}\r\n`)
    if (isIncomplete) socket.write(Buffer.alloc(bytes - 1, 'a'))
    const timer = setInterval(() => isSlow && socket.write('a'), 1_000)
    let status = 0
    socket.on('data', (data) => {
      status ||= Number(data.toString('latin1', 9, 12))
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(status)
    })
  })
}

/** Sends a request, counting it and the status of its response. */
async function run(work: () => Promise<number>): Promise<void> {
  sent += 1
  const status = await work()
  counts[status] = (counts[status] ?? 0) + 1
}

/** Sends requests one after another. */
async function repeat(client: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (;;) {
    if (isSlow || isIncomplete) await run(() => sendIncomplete(client))
    else await run(() => send(sent, client, agent))
    // Pause between requests once one has failed, to avoid a busy loop if the server refuses connections.
    if (counts[0]) await pause(10)
  }
}

function sendAtRate(rate: number): void {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const startedAt = performance.now()
  let due = 0
  let inFlight = 0
  setInterval(() => {
    for (; due < ((performance.now() - startedAt) / 1000) * rate; due += 1) {
      if (inFlight >= clients) continue
      inFlight += 1
      void run(() => send(sent, sent % clients, agent)).then(() => {
        inFlight -= 1
      })
    }
  }, 20)
}

process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify({ sent, counts })}\n`, () => process.exit(0))
})
if (perSecond) sendAtRate(perSecond)
else for (let client = 0; client < clients; client += 1) void repeat(client)
process.stdout.write('flooding\n')
