/** The API reference's code samples in curl, JavaScript and Python. Each one is a complete program that a test runs unchanged. */
import type { CodeSample } from './types'

/** The server's URL in the document. It is replaced with the URL of the actual server when the document is sent or displayed. */
export const EXAMPLE_URL = 'http://localhost:3000'

/** Returns the code samples of an operation. */
export const toSamples = (curl: string, javaScript: string, python: string): CodeSample[] => [
  { lang: 'Shell', label: 'curl', source: curl },
  { lang: 'JavaScript', label: 'JavaScript', source: javaScript },
  { lang: 'Python', label: 'Python', source: python },
]

/**
 * Returns the code samples for a list.
 *
 * @param name the list's path after `/v1/`
 * @param printedMember the member that is printed with each record's ID
 */
export function listSamples(name: string, printedMember: string): CodeSample[] {
  return toSamples(
    `# The two newest records.
curl -s '${EXAMPLE_URL}/v1/${name}?limit=2' \\
  -H "Authorization: Bearer $DESK_KEY"`,
    `// ${name}.mjs: reads the whole list, page by page.
import { setTimeout as pause } from 'node:timers/promises'

const key = process.env.DESK_KEY
if (!key) throw new Error('Set DESK_KEY to your API key.')
const url = new URL('${EXAMPLE_URL}/v1/${name}')
url.searchParams.set('limit', 100)
const headers = { Authorization: \`Bearer \${key}\` }

for (;;) {
  const response = await fetch(url, { headers })
  const page = await response.json()
  if (response.status === 429 || response.status === 503) {
    await pause(1000 * response.headers.get('retry-after'))
    continue
  }
  if (!response.ok) throw new Error(page.message)

  for (const record of page.data) {
    console.log(record.id, record.${printedMember})
  }

  if (!page.has_more) break
  const last = page.data.at(-1)
  url.searchParams.set('starting_after', last.id)
}`,
    `# ${name}.py: reads the whole list, page by page.
import json, os, time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

url = "${EXAMPLE_URL}/v1/${name}"
key = os.environ["DESK_KEY"]
headers = {"Authorization": f"Bearer {key}"}
query = {"limit": 100}

while True:
    request = Request(f"{url}?{urlencode(query)}", headers=headers)
    try:
        with urlopen(request) as response:
            page = json.load(response)
    except HTTPError as error:
        if error.code not in (429, 503):
            raise SystemExit(json.load(error)["message"])
        time.sleep(int(error.headers["Retry-After"]))
        continue

    for record in page["data"]:
        print(record["id"], record.get("${printedMember}"))

    if not page["has_more"]:
        break
    query["starting_after"] = page["data"][-1]["id"]`,
  )
}

/**
 * Returns the code samples for reading one record, which take its ID from the environment.
 *
 * @param one the record's name in the singular
 * @param printedMember the member that is printed with the record's ID
 */
export function recordSamples(name: string, one: string, printedMember: string): CodeSample[] {
  const file = one.replaceAll(' ', '-')
  return toSamples(
    `# ID is the ID of the ${one}.
curl -s "${EXAMPLE_URL}/v1/${name}/$ID" \\
  -H "Authorization: Bearer $DESK_KEY"`,
    `// ${file}.mjs: reads one ${one}: ID='…' node ${file}.mjs
const { DESK_KEY, ID } = process.env
if (!DESK_KEY || !ID) throw new Error('Set DESK_KEY and ID.')
const url = '${EXAMPLE_URL}/v1/${name}/' + ID
const headers = { Authorization: \`Bearer \${DESK_KEY}\` }

const response = await fetch(url, { headers })
const body = await response.json()
if (!response.ok) throw new Error(body.message)
console.log(body.data.id, body.data.${printedMember})`,
    `# ${file}.py: reads one ${one}: ID='…' python3 ${file}.py
import json, os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

url = "${EXAMPLE_URL}/v1/${name}/" + os.environ["ID"]
key = os.environ["DESK_KEY"]
headers = {"Authorization": f"Bearer {key}"}

try:
    with urlopen(Request(url, headers=headers)) as response:
        record = json.load(response)["data"]
except HTTPError as error:
    raise SystemExit(json.load(error)["message"])
print(record["id"], record.get("${printedMember}"))`,
  )
}

/** The code samples for the deliveries of a webhook endpoint, which take its ID from the environment. */
export const DELIVERY_SAMPLES: CodeSample[] = toSamples(
  `# ID is the ID of a webhook endpoint.
curl -s "${EXAMPLE_URL}/v1/webhook_endpoints/$ID/deliveries" \\
  -H "Authorization: Bearer $DESK_KEY"`,
  `// deliveries.mjs: prints the deliveries whose last attempt
// failed: pending ones are retried, failed ones are not.
const { DESK_KEY, ID } = process.env
if (!DESK_KEY || !ID) throw new Error('Set DESK_KEY and ID.')
const url = '${EXAMPLE_URL}/v1/webhook_endpoints/' + ID
const headers = { Authorization: \`Bearer \${DESK_KEY}\` }

const list = url + '/deliveries?limit=100'
const response = await fetch(list, { headers })
const page = await response.json()
if (!response.ok) throw new Error(page.message)
for (const { eventId, status, lastAttempt: last } of page.data) {
  if (!last || status === 'succeeded') continue
  console.log(eventId, status, last.status ?? last.error)
}`,
  `# deliveries.py: prints the deliveries whose last attempt
# failed: pending ones are retried, failed ones are not.
import json, os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

url = "${EXAMPLE_URL}/v1/webhook_endpoints/" + os.environ["ID"]
key = os.environ["DESK_KEY"]
headers = {"Authorization": f"Bearer {key}"}
deliveries = url + "/deliveries?limit=100"

try:
    with urlopen(Request(deliveries, headers=headers)) as response:
        page = json.load(response)
except HTTPError as error:
    raise SystemExit(json.load(error)["message"])
for delivery in page["data"]:
    last, status = delivery.get("lastAttempt"), delivery["status"]
    if last and status != "succeeded":
        result = last.get("status", last.get("error"))
        print(delivery["eventId"], status, result)`,
)

/** The code samples for validating a ticket, which take the ticket's code from the environment. */
export const VALIDATE_SAMPLES: CodeSample[] = toSamples(
  `# CODE is the text of the QR code, percent-encoded.
# To retry after a lost response, send the same SCAN.
SCAN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
curl -s -X POST "${EXAMPLE_URL}/v1/tickets/validate/$CODE" \\
  -H "Authorization: Bearer $DESK_KEY" \\
  -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $SCAN" \\
  -H 'Device: Gate 2' \\
  -d '{"metadata":[{"key":"gate","value":"2"}]}'`,
  `// validate.mjs: checks in one ticket.
// CODE is the text of the QR code: CODE='…' node validate.mjs
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

const { DESK_KEY, CODE } = process.env
if (!DESK_KEY || !CODE) throw new Error('Set DESK_KEY and CODE.')
const request = {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${DESK_KEY}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': randomUUID(),
    Device: 'Gate 2',
  },
  body: JSON.stringify({ metadata: [{ key: 'gate', value: '2' }] }),
}
const url =
  '${EXAMPLE_URL}/v1/tickets/validate/' +
  encodeURIComponent(CODE)

// After an outage, send the same request again. The
// idempotency key prevents a second check-in.
let response
for (let tries = 1; ; tries += 1) {
  response = await fetch(url, request).catch(() => undefined)
  const status = response?.status ?? 503
  if (status < 500 && status !== 429) break
  if (tries === 5) throw new Error('No response. Try again.')
  const wait = response?.headers.get('retry-after') ?? tries
  await pause(1000 * Number(wait))
}

const body = await response.json()
if (!response.ok) throw new Error(body.message)
const result = body.success ? 'ADMITTED' : 'REFUSED'
console.log(result, body.message)`,
  `# validate.py: checks in one ticket.
# CODE is the text of the QR code: CODE='…' python3 validate.py
import json, os, time, uuid
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

url = "${EXAMPLE_URL}/v1/tickets/validate/"
note = {"metadata": [{"key": "gate", "value": "2"}]}
request = Request(
    url + quote(os.environ["CODE"], safe=""),
    method="POST",
    headers={
        "Authorization": "Bearer " + os.environ["DESK_KEY"],
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
        "Device": "Gate 2",
    },
    data=json.dumps(note).encode(),
)

# After an outage, send the same request again. The
# idempotency key prevents a second check-in.
for tries in range(1, 6):
    try:
        with urlopen(request) as response:
            body = json.load(response)
        result = "ADMITTED" if body["success"] else "REFUSED"
        print(result, body["message"])
        break
    except HTTPError as error:
        if error.code < 500 and error.code != 429:
            raise SystemExit(json.load(error)["message"])
        time.sleep(int(error.headers.get("Retry-After", tries)))
    except URLError:
        time.sleep(tries)
else:
    raise SystemExit("No response. Try again.")`,
)
