/** The script that the server provides, and `desk webhooks listen`, print and forward a seller's events. */
// @module-tag slow
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, it } from 'vitest'
import { eventsRoute } from '@/lib/http/event-routes'
import { followEvents, RetryError } from '@/public/docs/listen.mjs'
import { deskArgs } from '@/testing/programs'
import { importText, makeKey, makeSeller, minimal } from '@/testing/seller'
import { generateSecret } from './sign'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const write = (seller: string, count: number) =>
  importText('coupons', seller, Array.from({ length: count }, () => JSON.stringify(minimal('coupons'))).join('\n'), { events: true })

/** Starts a seller's events API, and a receiver that verifies the events that are forwarded to it. */
async function open() {
  const seller = await makeSeller()
  const { key } = await makeKey(seller, 'events:read')
  const api = await listen(
    createServer(async (incoming, outgoing) => {
      const response = await eventsRoute.GET(
        new Request(`http://x${incoming.url}`, { headers: { authorization: incoming.headers.authorization ?? '' } }),
      )
      outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text())
    }),
  )
  let secret = ''
  const forwarded: string[] = []
  const receiver = await listen(
    createServer((incoming, outgoing) => {
      let body = ''
      incoming.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      incoming.on('end', () => {
        new Webhook(secret).verify(body, incoming.headers as Record<string, string>)
        forwarded.push(String(incoming.headers['webhook-id']))
        outgoing.end()
      })
    }),
  )
  const verifyWith = (given: string) => {
    secret = given
  }
  return { seller, key, api, receiver, forwarded, verifyWith }
}

/** Starts a Node.js program. Returns the process, and the lines that it prints to standard output and to standard error. */
function run(args: string[], env: Record<string, string>, input = '') {
  const program = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  // A program that ends early does not read its input.
  program.stdin.on('error', () => {})
  program.stdin.end(input)
  const [events, messages]: [string[], string[]] = [[], []]
  createInterface(program.stdout).on('line', (line) => events.push(line))
  createInterface(program.stderr).on('line', (line) => messages.push(line))
  return { program, events, messages }
}

const PROGRAM = 'public/docs/listen.mjs'

it('prints and forwards the events that occur after it starts, in order, signed with the secret that it prints', async () => {
  const { seller, key, api, receiver, forwarded, verifyWith } = await open()
  await write(seller, 2)
  // Another test's transaction can delay the first events.
  const list = new Request('http://x/v1/events', { headers: { authorization: `Bearer ${key}` } })
  const countListed = async () => ((await (await eventsRoute.GET(list.clone())).json()) as { data: unknown[] }).data.length
  await expect.poll(countListed, { timeout: 60_000 }).toBe(2)
  const { program, events, messages } = run([PROGRAM, '--from', api, '--forward', receiver], { DESK_KEY: key })
  try {
    await expect.poll(() => messages, { timeout: 60_000 }).toContain('Waiting for events. Press Ctrl-C to stop.')
    const [, secret = ''] = messages.find((line) => line.startsWith('Signing secret: '))?.split(': ') ?? []
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(messages).toContain(`  export DESK_WEBHOOK_SECRET=${secret}`)
    verifyWith(secret)
    await write(seller, 150)
    await expect.poll(() => forwarded.length, { timeout: 60_000 }).toBe(150)
    expect(events.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(forwarded)
    expect(new Set(forwarded).size).toBe(150)
  } finally {
    program.kill()
  }
})

it('desk webhooks listen runs the same script, and reads the key from standard input and the secret from the environment', async () => {
  const { seller, key, api, receiver, forwarded, verifyWith } = await open()
  const secret = generateSecret()
  verifyWith(secret)
  const args = deskArgs('webhooks', 'listen', '--key-stdin', '--from', api, '--forward', receiver)
  const { program, messages } = run(args, { DESK_WEBHOOK_SECRET: secret }, key)
  try {
    await expect.poll(() => messages, { timeout: 60_000 }).toContain('Waiting for events. Press Ctrl-C to stop.')
    expect(messages).toContain(`Signing secret: ${secret}`)
    await write(seller, 1)
    await expect.poll(() => forwarded.length, { timeout: 60_000 }).toBe(1)
  } finally {
    program.kill()
  }
})

it.each([
  ['no key', [], {}, 'Set DESK_KEY to an API key that has the events:read scope'],
  ['a URL without a scheme', ['--from', 'desk.example.com'], { DESK_KEY: 'x' }, '--from must be a URL such as https://desk.example.com.'],
  ['a key as an argument', ['--key', 'desk_x'], {}, "Unknown option '--key'"],
  [
    'a malformed secret',
    ['--forward', 'http://localhost:1/'],
    { DESK_KEY: 'x', DESK_WEBHOOK_SECRET: 'x' },
    'The signing secret must be `whsec_` followed by',
  ],
  [
    'a secret of 65 bytes',
    ['--forward', 'http://localhost:1/'],
    { DESK_KEY: 'x', DESK_WEBHOOK_SECRET: `whsec_${'A'.repeat(87)}=` },
    'The signing secret must be `whsec_` followed by 24 to 64 bytes',
  ],
  [
    'a server that does not respond',
    ['--from', 'http://127.0.0.1:2'],
    { DESK_KEY: 'x' },
    'Cannot reach http://127.0.0.1:2: ECONNREFUSED. Check --from.',
  ],
])('exits with an error message for %s', async (_, args, env, message) => {
  const { program, messages } = run([PROGRAM, ...args], { DESK_KEY: '', DESK_WEBHOOK_SECRET: '', ...env })
  const [code] = (await once(program, 'close')) as [number]
  expect([code, messages.join('\n')]).toEqual([1, expect.stringContaining(message)])
})

it.each(['null', '{"data":{}}', '<html>'])('exits with an error message for a server that responds with %s', async (body) => {
  const other = await listen(createServer((_, outgoing) => outgoing.end(body)))
  const { program, messages } = run([PROGRAM, '--from', other], { DESK_KEY: 'x' })
  const [code] = (await once(program, 'close')) as [number]
  expect([code, messages]).toEqual([1, [`${other} did not return a list of events. Check --from.`]])
})

it('prints no signing secret for a key that the server rejects', async () => {
  const { seller, api, receiver } = await open()
  const { key } = await makeKey(seller, 'payments:read')
  const { program, messages } = run([PROGRAM, '--from', api, '--forward', receiver], { DESK_KEY: key, DESK_WEBHOOK_SECRET: '' })
  const [code] = (await once(program, 'close')) as [number]
  expect([code, messages]).toEqual([1, [expect.stringContaining("lacks the scope 'events:read'")]])
})

it('prints why an event was not delivered, without control characters from the response, which the terminal would interpret', async () => {
  const { seller, key, api } = await open()
  const refusing = await listen(createServer((_, outgoing) => outgoing.writeHead(400).end('Wrong\u001b[2J\r signature')))
  const { program, events, messages } = run([PROGRAM, '--from', api, '--forward', refusing], { DESK_KEY: key })
  try {
    await expect.poll(() => messages, { timeout: 60_000 }).toContain('Waiting for events. Press Ctrl-C to stop.')
    await importText('coupons', seller, JSON.stringify(minimal('coupons', { label: 'Sale\u009b2J' })), { events: true })
    await expect
      .poll(() => messages.at(-1), { timeout: 60_000 })
      .toMatch(/^coupon\.created evt_[0-9a-f]{24}: 400 \(\d+ ms\): Wrong \[2J {2}signature$/)
    expect(events[0]).toContain('Sale\\u009b2J')
  } finally {
    program.kill()
  }
})

it('exits without an error if the reader of standard output closes the pipe', async () => {
  const { seller, key, api } = await open()
  const { program, messages } = run([PROGRAM, '--from', api], { DESK_KEY: key })
  try {
    await expect.poll(() => messages, { timeout: 60_000 }).toEqual(['Waiting for events. Press Ctrl-C to stop.'])
    program.stdout.destroy()
    const closed = once(program, 'close')
    await write(seller, 1)
    expect(await closed).toEqual([0, null])
    expect(messages).toEqual(['Waiting for events. Press Ctrl-C to stop.'])
  } finally {
    program.kill()
  }
})

it('yields every event of a seller without earlier events, even if the first ones fill several pages', async () => {
  const seller = await makeSeller()
  const { key } = await makeKey(seller, 'events:read')
  const headers = { authorization: `Bearer ${key}` }
  let hasBegun = false
  const read = async (query: Record<string, string>) => {
    const response = await eventsRoute.GET(new Request(`http://x/v1/events?${new URLSearchParams(query)}`, { headers }))
    const page = await response.json()
    if (hasBegun) return page
    hasBegun = true
    const lines = Array.from({ length: 250 }, () => JSON.stringify(minimal('coupons')))
    await importText('coupons', seller, lines.join('\n'), { events: true })
    return page
  }
  const ending = new AbortController()
  const ids = new Set<string>()
  for await (const { id } of followEvents(read, ending.signal)) if (ids.add(id).size === 250) ending.abort()
  expect(ids.size).toBe(250)
})

type Query = Record<string, string>
/** Creates a list of events, newest first. Each read fails with the next error in `failures`, if there is one. */
function fakeList(ids: string[]) {
  const failures: RetryError[] = []
  const read = (query: Query) => {
    const failure = failures.shift()
    if (failure) return Promise.reject(failure)
    const event = (id: string) => ({ id, type: 'coupon.created', createdAt: '2026-01-01T00:00:00.000Z', data: {} })
    const { limit = '10', ending_before: before, starting_after: after } = query
    const cursor = before ?? after
    const index = cursor === undefined ? -1 : ids.indexOf(cursor)
    if (cursor !== undefined && index < 0) return Promise.resolve(undefined)
    const rest = before === undefined ? ids.slice(index + 1) : ids.slice(0, index)
    const page = before === undefined ? rest.slice(0, Number(limit)) : rest.slice(-Number(limit))
    return Promise.resolve({ has_more: rest.length > page.length, data: page.map(event) })
  }
  return { ids, failures, read }
}

/** Follows a list up to the event with the ID `end`. Returns the IDs of the events. */
async function follow({ read }: ReturnType<typeof fakeList>, onReady: () => void): Promise<string[]> {
  const ending = new AbortController()
  const seen: string[] = []
  for await (const { id } of followEvents(read, ending.signal, onReady)) {
    seen.push(id)
    if (id === 'end') ending.abort()
  }
  return seen
}

const makeBusyError = () => new RetryError('Busy.', true)

it('does not yield earlier events if the server is busy at the first read', async () => {
  const list = fakeList(['old 2', 'old 1'])
  list.failures.push(makeBusyError())
  expect(await follow(list, () => list.ids.unshift('end', 'new'))).toEqual(['new', 'end'])
})

it('yields all of the first events, even if the server is busy between their pages', async () => {
  const list = fakeList([])
  const first = Array.from({ length: 250 }, (_, index) => `first ${index}`)
  let isBusy = true
  const read = (query: Query) => {
    if (isBusy && query.starting_after !== undefined) {
      isBusy = false
      list.failures.push(makeBusyError())
    }
    return list.read(query)
  }
  const seen = await follow({ ...list, read }, () => list.ids.push('end', ...first.toReversed()))
  expect(seen).toEqual([...first, 'end'])
})

it('continues once the server can be reached again', async () => {
  const list = fakeList(['old'])
  const begin = () => {
    list.failures.push(new RetryError('Cannot reach it.', false))
    list.ids.unshift('end', 'new')
  }
  expect(await follow(list, begin)).toEqual(['new', 'end'])
})

it('does not yield events again if the newest one was deleted', async () => {
  const list = fakeList(['deleted', 'old 2', 'old 1'])
  const begin = () => list.ids.splice(0, 1, 'end', 'new')
  expect(await follow(list, begin)).toEqual(['new', 'end'])
})
