/** desk webhooks listen */
import { text as readAll } from 'node:stream/consumers'
import { type EventPage, followEvents } from '@/lib/webhooks/follow-events'
import { sendMessage } from '@/lib/webhooks/send'
import { generateSecret, signMessage } from '@/lib/webhooks/sign'
import { type Command, CommandError, say, type Values } from '../command'

const DEFAULT_SERVER = 'http://localhost:3000'
const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/

/** Parses a URL. @throws {CommandError} */
function urlFrom(option: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href
  throw new CommandError(`--${option} must be a URL such as http://localhost:8080/hook.`)
}

async function keyFrom(values: Values): Promise<string> {
  const key = values.flag('key-stdin') ? (await readAll(process.stdin)).trim() : values.required('key')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError('The key must be one word of visible ASCII characters.')
  return key
}

/** Reads a page of events. Returns undefined if the cursor's event has been deleted. @throws {CommandError} */
async function readEvents(server: string, key: string, query: Record<string, string>): Promise<EventPage | undefined> {
  const url = new URL('v1/events', server.endsWith('/') ? server : `${server}/`)
  url.search = new URLSearchParams(query).toString()
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, redirect: 'manual' }).catch((error: Error) => {
    throw new CommandError(`Cannot reach ${url.origin}: ${(error.cause as Error | undefined)?.message ?? error.message}. Check --from.`)
  })
  const body = (await response.json().catch(() => ({}))) as EventPage & { code?: string; message?: string }
  if (response.ok) return body
  if (body.code === 'resource_missing') return undefined
  // The next round reads the same events.
  if (response.status === 429 || response.status >= 500) return { has_more: false, data: [] }
  throw new CommandError(body.message ?? `${url.origin} answered ${response.status}. Check --from.`)
}

export const webhooksListen: Command = {
  name: 'webhooks listen',
  usage: '(--key KEY | --key-stdin) [--forward URL] [--from URL] [--secret SECRET]',
  summary: 'Prints events as they happen, and forwards them to a server on your machine. Runs until Ctrl-C.',
  details: [
    'Events are signed as the server signs them. Without --secret, a new signing secret is made and printed.',
    'Each event is printed to standard output as a line of JSON. Nothing is forwarded again after a failure.',
    '',
    '--key KEY        an API key with the scope events:read',
    '--key-stdin      read the key from standard input, which keeps it out of the shell history',
    '--forward URL    where to send the events, such as http://localhost:8080/hook',
    `--from URL       the URL of the server (default: ${DEFAULT_SERVER})`,
    '--secret SECRET  the signing secret, whsec_…',
  ],
  options: {
    key: { type: 'string' },
    'key-stdin': { type: 'boolean' },
    forward: { type: 'string' },
    from: { type: 'string' },
    secret: { type: 'string' },
  },
  arguments: [0, 0],
  async run(values) {
    const server = urlFrom('from', values.text('from') ?? DEFAULT_SERVER)
    const target = values.text('forward')
    const forward = target === undefined ? undefined : urlFrom('forward', target)
    const secret = values.text('secret') ?? generateSecret()
    if (!SECRET.test(secret)) throw new CommandError('--secret must be a signing secret such as whsec_…, without spaces.')
    const key = await keyFrom(values)
    const ending = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
    if (forward !== undefined) say(`Forwarding events to ${forward}, signed with ${secret}`)
    say('Waiting for events. Ctrl-C ends.')
    for await (const event of followEvents((query) => readEvents(server, key, query), ending.signal)) {
      process.stdout.write(`${JSON.stringify(event)}\n`)
      if (forward === undefined) continue
      const message = { ...event, data: JSON.stringify(event.data) }
      const { status, error, ms } = await sendMessage(forward, signMessage(message, [secret]), true)
      say(`${event.type} ${event.id}: ${status ?? error} (${Math.round(ms)} ms)`)
    }
    return {}
  },
}
