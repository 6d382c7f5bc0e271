// @ts-check
/**
 * Prints a seller's events as they happen. With --forward, also signs them and sends them to a receiver on your machine. Needs Node.js 20
 * or later and no packages:
 *
 *   DESK_KEY='desk_…' node listen.mjs --from https://desk.example.com --forward http://localhost:8080/hook
 *
 * The server serves this file at /docs/listen.mjs, and `desk webhooks listen` runs it.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const DEFAULT_SERVER = 'http://localhost:3000'
const SECRET_PATTERN = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/
/** The number of random bytes in a generated secret. */
const SECRET_BYTES = 32
/** The time between two reads, and before a failed read is retried, in milliseconds. */
const POLL_MS = 1_000
/** The timeout of a request, in milliseconds. */
const TIMEOUT_MS = 15_000

/**
 * @typedef {{ id: string, type: string, createdAt: string, data: unknown }} Event
 * @typedef {{ has_more: boolean, data: Event[] }} EventPage
 * @typedef {(query: Record<string, string>) => Promise<EventPage | undefined>} ReadEvents Reads a page of `GET /v1/events`. Resolves with
 *   undefined if the cursor's event has been deleted.
 * @typedef {{ from?: string | undefined, forward?: string | undefined, secret?: string | undefined, 'key-stdin'?: boolean | undefined }} ListenOptions
 */

/** An error whose message can be shown to the user. */
export class ExpectedError extends Error {}

/** A temporary error: a retry can succeed. */
export class RetryError extends ExpectedError {
  /**
   * @param {string} message
   * @param {boolean} isBusy whether the server returned a 429 or 5xx, in which case even the first read is retried
   */
  constructor(message, isBusy) {
    super(message)
    this.isBusy = isBusy
  }
}

export const OPTIONS = /** @type {const} */ ({
  from: { type: 'string' },
  forward: { type: 'string' },
  secret: { type: 'string' },
  'key-stdin': { type: 'boolean' },
})

export const USAGE = '[--from URL] [--forward URL] [--key-stdin] [--secret SECRET]'
export const HELP = [
  'The API key needs the events:read scope. It is read from the DESK_KEY environment variable, or from standard input with --key-stdin.',
  'Each event is printed to standard output as a line of JSON. A failed delivery is not retried.',
  '',
  `--from URL       the URL of the server (default: ${DEFAULT_SERVER})`,
  '--forward URL    where to send the events, such as http://localhost:8080/hook',
  '--key-stdin      read the API key from standard input',
  '--secret SECRET  the signing secret, whsec_… (default: DESK_WEBHOOK_SECRET or, if that is not set, a new secret, which is printed)',
]

/**
 * Prints a message to stderr. Replaces control characters, because a server's response could contain ones that the terminal interprets.
 *
 * @param {string} text
 */
const printMessage = (text) => process.stderr.write(`${text.replace(/\p{Cc}/gu, ' ')}\n`)

/**
 * Returns an event as a line of JSON. Escapes the control characters that JSON allows in strings: U+007F to U+009F.
 *
 * @param {unknown} event
 */
const toLine = (event) =>
  `${JSON.stringify(event).replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`

/**
 * Returns the normalized URL of an option.
 *
 * @param {string} option the option's name, for the error message
 * @param {string} text
 * @param {string} example a valid URL, for the error message
 * @throws {ExpectedError} if the text is not an http or https URL
 */
function parseUrl(option, text, example) {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href
  throw new ExpectedError(`--${option} must be a URL such as ${example}.`)
}

/**
 * Reads the API key.
 *
 * @param {boolean | undefined} isOnStdin whether to read the key from standard input instead of from DESK_KEY
 * @throws {ExpectedError} if the key is missing or malformed
 */
async function readKey(isOnStdin) {
  const key = isOnStdin ? (await readAll(process.stdin)).trim() : (process.env.DESK_KEY ?? '')
  if (key === '')
    throw new ExpectedError(
      'Set DESK_KEY to an API key that has the events:read scope, or send the key on standard input with --key-stdin.',
    )
  if (!/^[\x21-\x7e]+$/.test(key)) throw new ExpectedError('The API key must consist of visible ASCII characters without spaces.')
  return key
}

/**
 * Describes why a request got no response.
 *
 * @param {unknown} error
 */
const describeFailure = (error) => {
  const { cause, message, name } = /** @type {Error} */ (error)
  if (name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} seconds`
  const { code, message: reason } = /** @type {{ code?: string, message?: string }} */ (cause ?? {})
  return code ?? (reason || message)
}

/**
 * Reads a page of events. Returns undefined if the cursor's event has been deleted.
 *
 * @param {string} server
 * @param {string} key
 * @param {Record<string, string>} query
 * @returns {Promise<EventPage | undefined>}
 * @throws {ExpectedError} a `RetryError` if a retry can succeed
 */
async function readEvents(server, key, query) {
  const url = new URL('v1/events', server.endsWith('/') ? server : `${server}/`)
  url.search = new URLSearchParams(query).toString()
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error) => {
    throw new RetryError(`Cannot reach ${url.origin}: ${describeFailure(error)}. Check --from.`, false)
  })
  const body = /** @type {EventPage & { code?: string, message?: string }} */ ((await response.json().catch(() => undefined)) ?? {})
  if (response.ok && Array.isArray(body.data)) return body
  if (body.code === 'resource_missing') return undefined
  const problem = response.ok ? 'did not return a list of events' : `returned ${response.status}`
  const message = body.message ?? `${url.origin} ${problem}. Check --from.`
  if (response.status === 429 || response.status >= 500) throw new RetryError(message, true)
  // The body of a successful response may have been cut off.
  throw response.ok ? new RetryError(message, false) : new ExpectedError(message)
}

/**
 * Returns a function that reads a page, and retries after a `RetryError` until a read succeeds or the signal is aborted. Until a read has
 * succeeded, it retries only if the server is busy, because otherwise --from is probably wrong.
 *
 * @param {ReadEvents} read
 * @param {AbortSignal} signal
 * @returns {ReadEvents} resolves with an empty page once the signal is aborted
 */
function retry(read, signal) {
  let hasSucceeded = false
  return async (query) => {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        const page = await read(query)
        hasSucceeded = true
        return page
      } catch (error) {
        if (!(error instanceof RetryError) || !(error.isBusy || hasSucceeded)) throw error
        if (tries === 1) printMessage(`${error.message} Trying again.`)
        await pause(POLL_MS, undefined, { signal }).catch(() => {})
      }
    }
    return { has_more: false, data: [] }
  }
}

/**
 * Reads all pages of a seller's events, newest first. Used while the seller has no events yet, and there is no cursor to read from.
 *
 * @param {ReadEvents} read
 * @returns {Promise<EventPage>}
 */
async function readFirstEvents(read) {
  /** @type {Event[]} */
  const data = []
  for (;;) {
    const oldest = data.at(-1)?.id
    const page = await read({ limit: '100', ...(oldest === undefined ? {} : { starting_after: oldest }) })
    data.push(...(page?.data ?? []))
    if (!page?.has_more) return { has_more: false, data }
  }
}

/** The maximum number of IDs that are kept to avoid yielding an event twice. */
const MAX_KNOWN = 100

/**
 * Yields the events that happen from now on, oldest first, until the signal is aborted. Retries a read that throws a `RetryError` (the
 * first read only if the server is busy), and throws all other errors of `read`.
 *
 * @param {ReadEvents} read
 * @param {AbortSignal} signal
 * @param {() => void} [onReady] called after the first successful read; events that happen later are yielded
 * @returns {AsyncGenerator<Event>}
 */
export async function* followEvents(read, signal, onReady = () => {}) {
  const readAgain = retry(read, signal)
  const newest = (await readAgain({ limit: String(MAX_KNOWN) }))?.data ?? []
  let known = newest.map(({ id }) => id)
  let cursor = known[0]
  let hadEvents = cursor !== undefined
  onReady()
  while (!signal.aborted) {
    const next = { limit: '100', ...(cursor === undefined ? {} : { ending_before: cursor }) }
    const page = await (hadEvents ? readAgain(next) : readFirstEvents(readAgain))
    const isNewestPage = cursor === undefined
    const ids = page?.data.map(({ id }) => id) ?? []
    // After the cursor's event has been deleted, the newest page is read, which may contain events that have already been yielded.
    const firstKnownIndex = ids.findIndex((id) => known.includes(id))
    const unknown = (firstKnownIndex < 0 ? page?.data : page?.data.slice(0, firstKnownIndex)) ?? []
    for (const event of unknown.toReversed()) yield event
    known = [...ids, ...known].slice(0, MAX_KNOWN)
    cursor = page === undefined ? undefined : (ids[0] ?? cursor)
    hadEvents ||= cursor !== undefined
    // The newest page's `has_more` refers to older events.
    if (isNewestPage || ids.length === 0 || !page?.has_more) await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

/**
 * Sends an event as the server delivers it: with the same headers and body, signed as specified by Standard Webhooks.
 *
 * @param {string} url
 * @param {Event} event
 * @param {string} secret
 * @returns {Promise<string>} the status, the time and the start of the response's text, or why there was no response
 */
async function forwardEvent(url, { id, type, createdAt, data }, secret) {
  const body = JSON.stringify({ type, timestamp: createdAt, data })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const start = performance.now()
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Checkout-Desk-Webhooks/1.0',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = (await response.text()).trim().slice(0, 200)
    const result = `${response.status} (${Math.round(performance.now() - start)} ms)`
    return response.ok || text === '' ? result : `${result}: ${text}`
  } catch (error) {
    return `not delivered: ${describeFailure(error)}. Check that your receiver is running at ${url}.`
  }
}

/**
 * Prints and forwards events until SIGINT or SIGTERM, or until the program that reads standard output, such as `head`, exits.
 *
 * @param {ListenOptions} options
 * @throws {ExpectedError}
 */
export async function listen(options) {
  const server = parseUrl('from', options.from ?? DEFAULT_SERVER, 'https://desk.example.com')
  const forward = options.forward === undefined ? undefined : parseUrl('forward', options.forward, 'http://localhost:8080/hook')
  const secret = (options.secret ?? process.env.DESK_WEBHOOK_SECRET) || `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
  if (!SECRET_PATTERN.test(secret))
    throw new ExpectedError(
      'The signing secret must be `whsec_` followed by 24 to 64 bytes in Base64. Correct --secret or DESK_WEBHOOK_SECRET, or omit both.',
    )
  const key = await readKey(options['key-stdin'])
  const abortController = new AbortController()
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => abortController.abort())
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error
    abortController.abort()
  })
  // Called after the first read, because the secret is useless if the key is not valid.
  const announce = () => {
    if (forward !== undefined) {
      printMessage(`Forwarding events to ${forward}`)
      printMessage(`Signing secret: ${secret}`)
      printMessage('Before you start your receiver, run this in its terminal:')
      printMessage(`  export DESK_WEBHOOK_SECRET=${secret}`)
    }
    printMessage('Waiting for events. Press Ctrl-C to stop.')
  }
  for await (const event of followEvents((query) => readEvents(server, key, query), abortController.signal, announce)) {
    process.stdout.write(toLine(event))
    if (forward !== undefined) printMessage(`${event.type} ${event.id}: ${await forwardEvent(forward, event, secret)}`)
  }
}

/** Runs the script: parses the arguments, and prints the help or the events. */
async function main() {
  try {
    const { values } = parseArgs({ options: { ...OPTIONS, help: { type: 'boolean' } } })
    if (values.help) process.stdout.write(`Usage: node listen.mjs ${USAGE}\n\n${HELP.join('\n')}\n`)
    else await listen(values)
  } catch (error) {
    const { code = '', message } = /** @type {Error & { code?: string }} */ (error)
    if (!(error instanceof ExpectedError) && !code.startsWith('ERR_PARSE_ARGS')) throw error
    printMessage(`${message}${code === '' ? '' : ` Usage: node listen.mjs ${USAGE}`}`)
    process.exitCode = 1
  }
}

// Run `main` only if the script is run directly, because `desk webhooks listen` imports this file.
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) await main()
