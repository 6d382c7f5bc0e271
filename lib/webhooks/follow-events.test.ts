/** Following events over the API, as `desk webhooks listen` does. */
import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, it } from 'vitest'
import { eventsRoute } from '@/lib/http/event-routes'
import { importText, makeKey, makeSeller, minimal } from '@/testing/seller'
import { followEvents } from './follow-events'
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

it('desk webhooks listen prints and forwards the events that happen after its start, in order and signed', async () => {
  const seller = await makeSeller()
  const { key } = await makeKey(seller, 'events:read')
  const write = (count: number) =>
    importText('coupons', seller, Array.from({ length: count }, () => JSON.stringify(minimal('coupons'))).join('\n'), { events: true })
  await write(2)
  // A transaction of another test can delay the first events.
  const list = new Request('http://x/v1/events', { headers: { authorization: `Bearer ${key}` } })
  const countListed = async () => ((await (await eventsRoute.GET(list.clone())).json()) as { data: unknown[] }).data.length
  await expect.poll(countListed, { timeout: 60_000 }).toBe(2)
  let asked = 0
  const api = await listen(
    createServer(async (incoming, outgoing) => {
      const response = await eventsRoute.GET(
        new Request(`http://x${incoming.url}`, { headers: { authorization: incoming.headers.authorization ?? '' } }),
      )
      asked += 1
      outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text())
    }),
  )
  const secret = generateSecret()
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
  const args = [
    '--import',
    'tsx',
    'cli/desk.ts',
    'webhooks',
    'listen',
    '--key-stdin',
    '--from',
    api,
    '--forward',
    receiver,
    '--secret',
    secret,
  ]
  const program = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  program.stdin.end(key)
  const printed: string[] = []
  createInterface(program.stdout).on('line', (line) => printed.push((JSON.parse(line) as { id: string }).id))
  try {
    // The first request reads the newest event, and is answered before the second one is sent.
    await expect.poll(() => asked, { timeout: 60_000 }).toBeGreaterThan(1)
    await write(150)
    await expect.poll(() => forwarded.length, { timeout: 60_000 }).toBe(150)
    expect(printed).toEqual(forwarded)
    expect(new Set(forwarded).size).toBe(150)
  } finally {
    program.kill()
  }
})

it('yields every event of a seller who had none, even if the first ones fill several pages', async () => {
  const seller = await makeSeller()
  const { key } = await makeKey(seller, 'events:read')
  const headers = { authorization: `Bearer ${key}` }
  let isBegun = false
  const read = async (query: Record<string, string>) => {
    const response = await eventsRoute.GET(new Request(`http://x/v1/events?${new URLSearchParams(query)}`, { headers }))
    const page = await response.json()
    if (isBegun) return page
    isBegun = true
    const lines = Array.from({ length: 250 }, () => JSON.stringify(minimal('coupons')))
    await importText('coupons', seller, lines.join('\n'), { events: true })
    return page
  }
  const ending = new AbortController()
  const ids = new Set<string>()
  for await (const { id } of followEvents(read, ending.signal)) if (ids.add(id).size === 250) ending.abort()
  expect(ids.size).toBe(250)
})
