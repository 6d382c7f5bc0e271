/** The code samples for operations that change records, in curl, JavaScript and Python. A test runs them unchanged. */
import type { WriteOperation } from '../../catalog/write-operation'
import { EXAMPLE_URL, toSamples } from './samples'
import type { CodeSample } from './types'

const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)

/** Converts JSON to a Python literal. The strings in the examples must not contain `true`, `false` or `null`. */
const toPython = (json: string) =>
  json
    .replace(/\btrue\b/g, 'True')
    .replace(/\bfalse\b/g, 'False')
    .replace(/\bnull\b/g, 'None')

/** Returns the code samples for an operation. Those for an existing record take its ID from the environment. */
export function writeSamples({ id: name, method, path, summary, body, example }: WriteOperation): CodeSample[] {
  const [before = '', after] = path.split('{id}')
  const isChange = after !== undefined
  const task = summary.charAt(0).toLowerCase() + summary.slice(1)
  const environment = isChange ? 'DESK_KEY and ID' : 'DESK_KEY'
  const json = JSON.stringify(example ?? {}, null, 2)
  return toSamples(
    `# ${summary}.${isChange ? ' ID is the ID of the record.' : ''}
# To retry after a lost response, send the same CHANGE.
CHANGE=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
curl -s -X ${method} "${EXAMPLE_URL}${path.replace('{id}', '$ID')}" \\
  -H "Authorization: Bearer $DESK_KEY" \\
  -H "Idempotency-Key: $CHANGE"${body ? ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${indent(json, '  ')}'` : ''}`,
    `// ${name}.mjs: ${task}.
import { randomUUID } from 'node:crypto'

const { DESK_KEY${isChange ? ', ID' : ''} } = process.env
if (${isChange ? '!DESK_KEY || !ID' : '!DESK_KEY'}) throw new Error('Set ${environment}.')
const url = '${EXAMPLE_URL}${before}'${isChange ? ` + ID${after ? ` + '${after}'` : ''}` : ''}

// To retry after a lost response, send the same key.
const response = await fetch(url, {
  method: '${method}',
  headers: {
    Authorization: \`Bearer \${DESK_KEY}\`,
    'Idempotency-Key': randomUUID(),${body ? "\n    'Content-Type': 'application/json'," : ''}
  },${body ? `\n  body: JSON.stringify(${indent(json, '  ')}),` : ''}
})
const text = await response.text()
if (!response.ok) throw new Error(JSON.parse(text).message)
console.log(\`\${response.status} \${text}\`)`,
    `# ${name}.py: ${task}.
import json, os, uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    "${EXAMPLE_URL}${before}"${isChange ? ` + os.environ["ID"]${after ? ` + "${after}"` : ''}` : ''},
    method="${method}",
    headers={
        "Authorization": "Bearer " + os.environ["DESK_KEY"],
        # To retry after a lost response, send the same key.
        "Idempotency-Key": str(uuid.uuid4()),${body ? '\n        "Content-Type": "application/json",' : ''}
    },${body ? `\n    data=json.dumps(${indent(toPython(JSON.stringify(example ?? {}, null, 4)), '    ')}).encode(),` : ''}
)

try:
    with urlopen(request) as response:
        print(response.status, response.read().decode())
except HTTPError as error:
    raise SystemExit(json.load(error)["message"])`,
  )
}
