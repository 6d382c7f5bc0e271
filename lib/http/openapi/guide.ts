/** What is true of every operation, in CommonMark: the document's own description, and the first half of the reference's page. */
import type { Scope } from '../../accounts/scopes'
import { MAX_SEARCH, PAGE_SIZE } from '../../catalog/list-params'
import { type ErrorCode, STATUS_OF } from '../../core/errors'
import { MAX_BODY_BYTES } from '../body'
import { MEANINGS } from './errors'

export const SCOPE_MEANINGS: Record<Scope, string> = {
  full: 'everything that follows',
  'subscriptions:read': 'lists subscriptions',
  'coupons:read': 'lists coupons',
  'payments:read': 'lists payments',
  'bookings:read': 'lists bookings',
  'tickets:validate': 'validates tickets',
  'secrets:read': 'records carry `gatewayPaymentIntentClientSecret`; a list needs its own scope besides',
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const scopes = table(
  ['Scope', 'What a key with it may do'],
  Object.entries(SCOPE_MEANINGS).map(([scope, means]) => [`\`${scope}\``, means]),
)

const errors = table(
  ['Status', 'Code', 'What happened'],
  Object.entries(MEANINGS).map(([code, { means }]) => [String(STATUS_OF[code as ErrorCode]), `\`${code}\``, means]),
)

/** @param base the address of the server, for lines that work when they are pasted */
export const makeGuide = (base: string): string => `
What was sold is here, and other systems ask for it with a key: subscriptions, coupons, payments and bookings are listed, and event tickets are
validated at the door. Every answer is JSON. This description is at [\`/v1/openapi.json\`](/v1/openapi.json) in OpenAPI 3.1, for tools that make clients.

## First request

An owner of the shop makes your key, in the dashboard under [Settings, API keys](/settings/keys). Whoever runs the server can make one too:

\`\`\`sh
npm run -s desk -- key create --seller SELLER_ID --name 'My script' --scope payments:read
\`\`\`

This one may list payments and nothing else; the table of scopes below says what other operations need. Put it into an environment variable, and ask for two payments. This is the whole of it:

\`\`\`sh
export DESK_KEY='desk_…'
curl -s '${base}/v1/payments?limit=2' -H "Authorization: Bearer $DESK_KEY"
\`\`\`

The examples below read the key from \`DESK_KEY\`, and are whole programs: copy one into a file and run it. They need nothing but curl, Node 20 or Python 3. To get every record,
take the one in JavaScript or Python at [List payments](#listPayments).

## Authentication

Send the key in the header \`Authorization: Bearer desk_…\`, and nowhere else: a key in the address is not looked at. A key belongs to one seller and sees
that seller's records alone. Keep it on servers; there is no CORS, so another site's page can't call the API.

A key has the scope \`full\` or some of the others. Without the one that an operation needs, the answer is 403 \`scope_missing\`.

${scopes}

A key may expire, is revoked at once, and can be rolled: the new key works beside the old one for a time of your choice. It is shown once, when it is made.

## Records

- An **id** is a string of 24 hex digits.
- An **instant** is ISO 8601 in UTC with milliseconds: \`2026-11-21T19:30:00.000Z\`.
- An **amount** is a number in minor units of the record's \`currency\`: 2500 is 25.00 EUR, ¥2500, or 2.500 KWD. Of an order, \`amount\` is what it comes to.
- A member **without a value is left out**; \`null\` never appears in a record. Members marked required are always there.
- Names that contain \`gateway\` carry an id that the payment gateway issued.
- Both live and test records are listed; \`livemode\` tells them apart.

## Paging

A list answers \`{ "has_more": …, "total": …, "data": [ … ] }\`, newest first: by \`createdAt\`, then by \`id\`. \`limit\` is the size of a page, ${PAGE_SIZE.least} to ${PAGE_SIZE.most},
${PAGE_SIZE.usual} if not given. For the next page send \`starting_after\` with the \`id\` of the last record, as long as \`has_more\` is true. Records that come in meanwhile make no page skip
or repeat one.

To go back towards newer records, send \`ending_before\` with the \`id\` of the first record: the answer is the page right before it, still newest first, and \`has_more\` is about
newer records then. The two exclude each other. A cursor goes on working after its record has changed and the filter no longer matches it; one that is no record of yours is 400 \`resource_missing\`.

\`total\` is the exact number of records that match the filters, wherever the page is.

## Search and filters

\`search\` finds text anywhere in one of the fields that the list names, in capitals or not; \`%\` and \`_\` are ordinary characters. It has 1 to ${MAX_SEARCH} characters.
\`status\` and \`pageId\` narrow a list to one value; a \`pageId\` that you do not have gives an empty list. All of them can be combined.

\`\`\`sh
curl -sG '${base}/v1/payments' -H "Authorization: Bearer $DESK_KEY" --data-urlencode 'search=ann+news@example.com'
\`\`\`

The text may stand anywhere in a field, so \`ann@example.com\` finds joann@example.com too: for one customer alone, compare \`customerEmail\` in what you get. Percent-encode the term, above all a \`+\`.

A parameter that the operation does not know, or that stands there twice, is 400: a misspelt filter is refused, not passed over. An empty value counts as not sent.

## Idempotency

A validation lets a guest in, once. Send a new \`Idempotency-Key\` with each scan: any string of 1 to 255 visible ASCII characters, such as a UUID. If the answer is lost, send the same
request with the same key: you get the first answer again, byte for byte, with \`Idempotent-Replayed: true\`, and nobody is let in twice. A key is kept for 30 days; with another code or
another body it is 422 \`idempotency_mismatch\`. Answers of 404 are kept too; requests that were not valid (400) are not. A list is only read, so it needs no such key.

## Rate limits

A key may make a number of requests a minute, 1,000 unless the server's owner has set another. Each answer to a key that works says where you stand: \`RateLimit-Limit\`, \`RateLimit-Remaining\`, and
\`RateLimit-Reset\` in seconds. Beyond it the answer is 429 \`rate_limited\` with \`Retry-After\`: wait that many seconds and go on.

## Errors

Every refusal has the same shape, but \`/readyz\`'s own. \`code\` is for your program; \`message\` tells a person what to do, and its wording may change.

\`\`\`json
{
  "error": "Bad Request",
  "message": "limit must be a whole number from 1 to 100.",
  "code": "parameter_invalid",
  "param": "limit",
  "requestId": "req_5f1d0c2b9e8a47c6a1b2c3d4"
}
\`\`\`

A request is checked in this order: method (405), key (401), scope (403), rate (429), what it says (400, 413, 415), whether its key was used otherwise (422),
what it names (404). Try 429 and 503 again after \`Retry-After\`, and 500 after a moment; the others will not change by themselves. Give the \`requestId\` when you report a
fault: it is also the header \`Request-Id\` of every answer. The shop's owner finds the request by it for 7 days, in the dashboard under Settings, Request log: its time, key, operation,
status and duration, and nothing of what was asked. A body may have ${MAX_BODY_BYTES / 1024} KiB.

${errors}

## Methods and paths

\`HEAD\` works wherever \`GET\` does, and \`OPTIONS\` says what a path takes. A path may end with a slash or not, and may begin with \`/api/v1\` instead of \`/v1\`; nothing is redirected.

## Versions

The version stands in the path: \`/v1\`. Within it we only add: operations, optional parameters, members of answers, codes of errors, and values where a member is free text. Write your
client so that it passes over members that it does not know. What is there is not renamed, removed or given another meaning, and a value set marked as an enumeration does not grow.
Anything else would be \`/v2\`, which would be served beside \`/v1\` for at least a year; the changelog would say so first, and \`/v1\` would then answer with the headers \`Deprecation\` and \`Sunset\`.
`
