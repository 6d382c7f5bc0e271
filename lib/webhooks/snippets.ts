/** Programs that verify a webhook, for the settings and the API reference. A test runs them. */

/** Verifies a request in Node.js without packages. */
const NODE = `// verify.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'

const secret = process.env.DESK_WEBHOOK_SECRET

// body is the request's body as sent, as a string.
export function verify(headers, body) {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const age = Date.now() / 1000 - Number(timestamp)
  if (!(Math.abs(age) < 300)) throw new Error('Too old')

  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const text = id + '.' + timestamp + '.' + body
  const hmac = createHmac('sha256', key).update(text)
  const expected = Buffer.from('v1,' + hmac.digest('base64'))
  const isSigned = headers['webhook-signature']
    .split(' ')
    .map((given) => Buffer.from(given))
    .some((given) =>
      given.length === expected.length &&
      timingSafeEqual(given, expected))
  if (!isSigned) throw new Error('Wrong signature')
  return JSON.parse(body)
}`

/** Verifies a request in Python without packages. */
const PYTHON = `# verify.py
import base64, hashlib, hmac, json, os, time

secret = os.environ["DESK_WEBHOOK_SECRET"]

# body is the request's body as sent, as bytes.
def verify(headers, body):
    id = headers["webhook-id"]
    timestamp = headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("Too old")

    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{id}.{timestamp}.".encode() + body
    digest = hmac.new(key, text, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers["webhook-signature"].split(" ")
    if not any(hmac.compare_digest(one, expected) for one in given):
        raise ValueError("Wrong signature")
    return json.loads(body)`

export const VERIFIERS = { 'Node.js': NODE, Python: PYTHON } as const
