/** Complete programs that receive and verify webhooks, for the settings and the API reference. A test runs them. */

/** A receiver in Node.js without dependencies. */
const NODE = `// receiver.mjs: receives and verifies webhooks.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.env.DESK_WEBHOOK_SECRET
if (!secret?.startsWith('whsec_'))
  throw new Error('Set DESK_WEBHOOK_SECRET to whsec_…')
const key = Buffer.from(secret.slice('whsec_'.length), 'base64')

// Verifies the signature and returns the event. body must be
// the raw request body, a Buffer: parsing and serializing it
// can change its bytes.
function verify(headers, body) {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signatures = headers['webhook-signature']
  if (!id || !timestamp || !signatures)
    throw new Error('A webhook header is missing')
  const age = Date.now() / 1000 - Number(timestamp)
  if (!(Math.abs(age) < 300))
    throw new Error('Timestamp too old or too new')

  const hmac = createHmac('sha256', key)
  hmac.update(id + '.' + timestamp + '.').update(body)
  const expected = Buffer.from('v1,' + hmac.digest('base64'))
  // For a day after a secret is rotated, there are two.
  const isValid = signatures
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((signature) =>
      signature.length === expected.length &&
      timingSafeEqual(signature, expected))
  if (!isValid) throw new Error('Invalid signature')
  return JSON.parse(body)
}

const MAX_BYTES = 1024 * 1024

createServer(async (request, response) => {
  try {
    const chunks = []
    let length = 0
    for await (const chunk of request) {
      length += chunk.length
      if (length > MAX_BYTES) throw new Error('Too large')
      chunks.push(chunk)
    }
    const event = verify(request.headers, Buffer.concat(chunks))
    const id = request.headers['webhook-id']
    console.log('Verified', event.type, id)
    response.writeHead(204).end()
  } catch (error) {
    console.error('Rejected:', error.message)
    response.writeHead(400).end(error.message)
  }
}).listen(process.env.PORT ?? 8080, function () {
  console.log('Listening on port ' + this.address().port)
})`

/** A receiver in Python without dependencies. */
const PYTHON = `# receiver.py: receives and verifies webhooks.
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

secret = os.environ.get("DESK_WEBHOOK_SECRET", "")
if not secret.startswith("whsec_"):
    raise SystemExit("Set DESK_WEBHOOK_SECRET to whsec_…")
key = base64.b64decode(secret.removeprefix("whsec_"))

# Verifies the signature and returns the event. body must be
# the raw request body, as bytes: parsing and serializing it
# can change them.
def verify(headers, body):
    message_id = headers.get("webhook-id")
    timestamp = headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not message_id or not timestamp or not signatures:
        raise ValueError("A webhook header is missing")
    if abs(time.time() - int(timestamp)) >= 300:
        raise ValueError("Timestamp too old or too new")

    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # For a day after a secret is rotated, there are two.
    if not any(
        hmac.compare_digest(signature, expected)
        for signature in signatures.encode().split(b" ")
    ):
        raise ValueError("Invalid signature")
    return json.loads(body)

MAX_BYTES = 1024 * 1024

class Receiver(BaseHTTPRequestHandler):
    # Seconds without data after which a connection is closed.
    timeout = 15

    def do_POST(self):
        try:
            length = int(self.headers.get("Content-Length", 0))
            if not 0 <= length <= MAX_BYTES:
                raise ValueError("Too large")
            body = self.rfile.read(length)
            event = verify(self.headers, body)
            message_id = self.headers["webhook-id"]
            print("Verified", event["type"], message_id, flush=True)
            self.send_response(204)
            self.end_headers()
        # int() accepts numbers that are too large for a float.
        except (ValueError, OverflowError) as error:
            print("Rejected:", error, flush=True)
            self.send_response(400)
            self.end_headers()
            self.wfile.write(str(error).encode())

    def log_message(self, *_):
        pass

port = int(os.environ.get("PORT", 8080))
server = HTTPServer(("", port), Receiver)
print("Listening on port", server.server_port, flush=True)
server.serve_forever()`

export const RECEIVERS = { 'Node.js': NODE, Python: PYTHON } as const
