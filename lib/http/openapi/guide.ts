/** The guide to the API, in CommonMark: the description in the OpenAPI document, and the first part of the reference page. */
import { SCOPE_LABELS } from '../../accounts/scopes'
import { EVENT_TYPES } from '../../catalog/event-types'
import { MAX_SEARCH, PAGE_SIZE } from '../../catalog/list-params'
import { ERROR_STATUSES, type ErrorCode } from '../../core/errors'
import { RECEIVERS } from '../../webhooks/snippets'
import { VECTOR, VECTOR_REQUEST } from '../../webhooks/vector'
import { MAX_BODY_BYTES } from '../body'
import { ERROR_DOCS } from './errors'
import { EXAMPLE_URL } from './samples'

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const scopes = table(
  ['Scope', 'Access'],
  Object.entries(SCOPE_LABELS).map(([scope, label]) => [`\`${scope}\``, label]),
)

const errors = table(
  ['Status', 'Code', 'Description'],
  Object.entries(ERROR_DOCS).map(([code, { meaning }]) => [String(ERROR_STATUSES[code as ErrorCode]), `\`${code}\``, meaning]),
)

const eventTypes = table(
  ['Type', 'Description'],
  Object.entries(EVENT_TYPES).map(([type, description]) => [`\`${type}\``, description]),
)

export const GUIDE = `
Read orders and customers, create coupons and check in event tickets over a JSON API. This reference is also available as an OpenAPI 3.1 document, for tools that generate
clients: [\`/v1/openapi.json\`](/v1/openapi.json).

## First request

To create an API key, open [Settings → API keys](/settings/keys) in the dashboard. You need the owner role. On the server, you can also use the command line:

\`\`\`sh
npm run -s desk -- key create --seller SELLER_ID --name 'My script' --scope payments:read
\`\`\`

This key can only read payments. Store it in an environment variable and request two payments:

\`\`\`sh
export DESK_KEY='desk_…'
curl -s '${EXAMPLE_URL}/v1/payments?limit=2' -H "Authorization: Bearer $DESK_KEY"
\`\`\`

The code samples below read the key from \`DESK_KEY\`. They are complete programs that need only curl, Node 20 or Python 3. To read a whole list, use the JavaScript or Python sample of
[List payments](#listPayments).

## Authentication

Send your API key in the header \`Authorization: Bearer desk_…\`. A key in the query string is not accepted. A key belongs to one seller and gives access to that seller's data only.
Use keys on servers only: the API does not support CORS, so web pages from other origins can't call it.

A key has either the scope \`full\` or one or more of the other scopes. If the key lacks the scope that an operation requires, the response is 403 \`scope_missing\`.

${scopes}

With \`tickets:codes\`, tickets include \`qrCode\`, which admits anyone who has it. With \`secrets:read\`, records include \`gatewayPaymentIntentClientSecret\`. Reading either also requires the scope for the records.

A key is shown once, when it is created. It can have an expiration date, and you can revoke it at any time: it stops working within one second. When you rotate a key, you choose how long
the old key continues to work alongside the new one.

## Records

- An **ID** is a string of 24 hexadecimal digits. IDs of events and webhook endpoints have a prefix: \`evt_\` or \`we_\`.
- A **timestamp** is in ISO 8601 format, in UTC with milliseconds: \`2026-11-21T19:30:00.000Z\`.
- An **amount** is in the minor unit of the record's \`currency\`: 2500 is 25.00 EUR, ¥2500 or 2.500 KWD. As in Stripe, ISK and UGX have two decimals, and MGA has none. The \`amount\` of an order is its total.
- A field **without a value is omitted**. Records never contain \`null\`. Fields marked as always present are never omitted.
- Fields such as \`gatewayChargeId\` hold an ID assigned by the payment gateway.
- Lists include live and test records. Use \`livemode\` to distinguish them.

## Pagination

A list returns \`{ "has_more": …, "total": …, "data": [ … ] }\`, sorted by \`createdAt\` and then by \`id\`, newest first. \`limit\` is the page size, from ${PAGE_SIZE.min} to ${PAGE_SIZE.max}; the default
is ${PAGE_SIZE.default}. To get the next page, set \`starting_after\` to the \`id\` of the last record, as long as \`has_more\` is \`true\`. Records that are created in the meantime never cause a page to
skip or repeat a record.

To page back to newer records, set \`ending_before\` to the \`id\` of the first record. The response is the page directly before it, still newest first, and \`has_more\` refers to newer
records. You can't combine the two parameters. A cursor stays valid even if its record no longer matches the filters. An unknown cursor, such as the ID of a record that has been deleted, returns a 400 \`resource_missing\` error: start again with the first page.

\`total\` is the exact number of records that match the filters, regardless of the page. The lists of events and of deliveries have no \`total\`, and the order of events can differ slightly from that of \`createdAt\`, even for one record. If you keep copies of records, compare the \`createdAt\` of each record's events, and ignore older ones.

## Single records

\`GET /v1/payments/{id}\` returns one payment as \`{ "data": { … } }\`, with the same members as in the list. All other records work the same way. An ID that does not exist, or that belongs to
another seller, returns a 404 \`record_not_found\` error.

## Search and filters

\`search\` matches text anywhere in one of the fields that are specified for each list. It is case-insensitive and takes 1 to ${MAX_SEARCH} characters; \`%\` and \`_\` have no special meaning. Typographic and plain apostrophes, quotation marks and dashes are equivalent: \`O'Brien\` also finds \`O’Brien\`.
\`status\` and \`pageId\` restrict a list to one value. An unknown \`pageId\` returns an empty list. You can combine the search with all filters.

\`created[gte]\`, \`created[gt]\`, \`created[lte]\` and \`created[lt]\` restrict a list to a range of \`createdAt\`. Each takes an ISO 8601 timestamp such as \`2026-11-21T19:30:00Z\`, a date such
as \`2026-11-21\`, or a Unix timestamp in seconds. A date means the whole day in the seller's time zone: \`created[gte]=2026-11-01&created[lte]=2026-11-30\` returns all of November. Send at most one lower and
one upper bound. A lower bound above the upper one returns a 400 error.

\`\`\`sh
curl -sG '${EXAMPLE_URL}/v1/payments' -H "Authorization: Bearer $DESK_KEY" --data-urlencode 'search=ann+news@example.com'
\`\`\`

Because \`search\` matches parts of a field, \`ann@example.com\` also finds joann@example.com. To select one customer, compare \`customerEmail\` in the response. Percent-encode the text,
in particular \`+\`.

Unknown or repeated parameters are rejected with a 400 error, so that a misspelled filter cannot return unfiltered data. A parameter with an empty value is treated as absent.

## Idempotency

A validation checks in a ticket once. To make a validation or any other change safe to retry, send an \`Idempotency-Key\` header with it: a unique string of 1 to 255 visible ASCII characters,
such as a UUID. If you get no response, repeat the request with the same key. You get the original response again, byte for byte, with the header \`Idempotent-Replayed: true\`, and nothing is
changed a second time. Keys are stored for 30 days. Reusing a key with a different method, path, body or \`If-Match\` returns a 422 \`idempotency_mismatch\` error. 404, 409 and 412 responses are stored as well;
400 responses are not. Requests that only read don't need an idempotency key.

There are two exceptions. A signing secret is returned only once: the stored response does not contain it, so a replay returns the webhook endpoint without its \`secret\`. If you lost the first response, rotate the secret to get a new one. And once a customer has been [erased](#eraseCustomer), stored responses no longer contain the customer’s data.

## Changing records

\`POST\` creates a record, and \`PATCH\` changes the members that you send: \`null\` removes an optional member, and all others stay unchanged. Both return the record in \`data\`.
An unknown member returns a 400 \`body_invalid\` error. Changes are recorded in the audit log with the name of the key.

A single record is returned with an \`ETag\` header. To change a record only if no one else has changed it since you read it, send that value in an \`If-Match\` header. If the record has
changed, the response is 412 \`precondition_failed\`, and nothing is changed. Operations on which the header would have no effect, such as ticket validation, reject it with a 400.

## Rate limits

The number of requests per minute is limited for each key: 1,000 unless the server is configured otherwise. Responses include \`RateLimit-Limit\`, \`RateLimit-Remaining\` and
\`RateLimit-Reset\` (in seconds). Above the limit, the response is 429 \`rate_limited\` with a \`Retry-After\` header: wait that many seconds before you retry.

An IP address can send 300 requests without a valid key and 60 requests for \`/v1/openapi.json\` per minute. Further ones get the same error.

## Errors

All errors have the same format, except those of \`/readyz\`. Use \`code\` in your code. \`message\` explains the error to a person, and its wording can change.

\`\`\`json
{
  "error": "Bad Request",
  "message": "${ERROR_DOCS.parameter_invalid.message}",
  "code": "parameter_invalid",
  "param": "limit",
  "requestId": "req_5f1d0c2b9e8a47c6a1b2c3d4"
}
\`\`\`

Checks run in this order: method (405), key (401), pause and scope (403), rate limit (429), parameters and body (400, 413, 415), idempotency key (422), ticket or record (404), precondition (412), conflicts (409). Three checks are exceptions: the limit for IP addresses (429) precedes that of the key, the limit on unknown ticket codes (429) follows those of the body, and rules that depend on the stored record or the current time (400) follow the precondition. Retry 429 and 503 responses after
\`Retry-After\`, and 500 responses after a short delay. Retrying does not resolve other errors. If the server sends many 405, 429 or 503 responses, or many responses to \`OPTIONS\` requests or health checks, it delays some of them by up to two seconds. The 503 of a validation is never delayed.

Include the \`requestId\` when you report a problem. Every response also contains it in the \`Request-Id\` header. For 7 days, owners can find the request in the dashboard under Settings → Request log,
with its time, key, operation, status and duration. The request log contains no parameters or bodies. The maximum size of a body is ${MAX_BODY_BYTES / 1024} KiB.

${errors}

## Methods and paths

\`HEAD\` works wherever \`GET\` does, and \`OPTIONS\` returns the methods of a path. Paths work with and without a trailing slash, and with the prefix \`/api/v1\` instead of \`/v1\`. There are no
redirects.

## Event types

An [event](#events) is written for every change to an order, coupon, customer or ticket, no matter where the change comes from: the API, the dashboard, check-in, Stripe or a pull. It is committed together with the change, so that no event is missing and none
reports a change that did not happen. \`desk import\` writes events only with \`--events\`. \`data\` is the record, whose fields are described with its operations.

${eventTypes}

Later releases can add types, so ignore any that you don't recognize.

## Webhook quickstart

Receive and verify your first event on your own machine. You need curl and Node.js 20 or later, but no packages and no public address.

**1. Create a key.** In [Settings → API keys](/settings/keys), create an API key with the scopes \`events:read\` and \`coupons:write\`. Open a terminal in an empty folder:

\`\`\`sh
export DESK_KEY='desk_…'
\`\`\`

**2. Listen.** Download \`listen.mjs\`, a single-file script, and start it. It reads new events with your key, and forwards them to a receiver on your machine as the server would deliver them:

\`\`\`sh
curl -sO ${EXAMPLE_URL}/docs/listen.mjs
node listen.mjs --from ${EXAMPLE_URL} --forward http://localhost:8080/hook
\`\`\`

It generates a signing secret, and prints:

\`\`\`text
Forwarding events to http://localhost:8080/hook
Signing secret: whsec_…
Before you start your receiver, run this in its terminal:
  export DESK_WEBHOOK_SECRET=whsec_…
Waiting for events. Press Ctrl-C to stop.
\`\`\`

**3. Receive.** Open a second terminal in the same folder, and run the \`export\` line that \`listen.mjs\` printed. Copy the receiver for Node.js from [Verify webhooks](#verify-webhooks) to the file
\`receiver.mjs\`, and start it. It prints \`Listening on port 8080\`:

\`\`\`sh
node receiver.mjs
\`\`\`

In Python, the file is \`receiver.py\`, and the command is \`python3 receiver.py\`. If another program uses port 8080, set \`PORT\` for the receiver, and start \`listen.mjs\` with the same port.

**4. Make a change.** Open a third terminal, set \`DESK_KEY\` as in the first step, and create a coupon:

\`\`\`sh
curl -s ${EXAMPLE_URL}/v1/coupons -H "Authorization: Bearer $DESK_KEY" -H 'Content-Type: application/json' -d '{"label":"Webhook test","code":"HOOK-'$(date +%s)'","duration":"once","percentOff":5}'
\`\`\`

A second later, the receiver prints \`Verified coupon.created evt_…\`, and \`listen.mjs\` prints the event and \`coupon.created evt_…: 204\`, the status that the receiver returned. If the receiver prints \`Invalid signature\`, see
[Signature errors](#signature-errors). Unlike the server, \`listen.mjs\` forwards each event once: after a failure, make another change. To delete the coupon, use [Update a coupon](#updateCoupon) with \`{ "deleted": true }\`.

**5. Go live.** Once your receiver has a public https address, create an endpoint under [Settings → Webhooks](/settings/webhooks) or with [Create a webhook endpoint](#createWebhookEndpoint), which needs a key with the scope \`webhooks:manage\`.
Start the receiver with the endpoint's signing secret, and use [Send a test event](#testWebhookEndpoint), which returns the delivery. Once the event has been sent, [List deliveries](#listWebhookDeliveries) returns the delivery with a \`lastAttempt\`.

## Webhooks

Instead of polling, let the server send you [events](#events). It sends each event to your webhook endpoints as a \`POST\` request, signed according to [Standard Webhooks](https://www.standardwebhooks.com):

\`\`\`text
${VECTOR_REQUEST}
\`\`\`

- \`webhook-id\` is the ID of the event. It is the same in every attempt.
- \`webhook-timestamp\` is the time of the attempt, in seconds since 1970. Reject requests that are older than five minutes.
- \`webhook-signature\` is \`v1,\` followed by the Base64-encoded HMAC-SHA256 of \`webhook-id.webhook-timestamp.body\`. The key is the Base64-decoded part of the secret after \`whsec_\`. For 24 hours after the secret is rotated, there
are two signatures, separated by a space.
- The body contains the event's \`type\`, the time of the change as \`timestamp\`, and the record after the change as \`data\`. The [event reference](#event-reference) shows the body of every type.

The secret for this example is \`${VECTOR.secret}\`. The example is a test vector: with this secret, these headers and exactly this body, your code must compute this signature. Because of the old timestamp, a complete verifier rejects the request.

**Respond** with a 2xx status within 15 seconds, and do slow work afterward. Any other status, including a redirect, is a failure. Events can arrive more than once and in any order: use \`webhook-id\` to ignore duplicates, and
the body's \`timestamp\` to ignore older versions of a record. Different versions can have the same \`updatedAt\`: Stripe's times are in seconds, and an import keeps the times of its records.

**Retries.** A failed attempt is retried after 5 seconds, then after 5 and 30 minutes, and then after 2, 5, 10, 14, 20 and 24 hours. Each delay is randomly extended by up to a fifth. If the \`Retry-After\` header of a 429 or 503 response asks for a longer delay, the server waits that long, up to 24 hours. In the meantime, the delivery is \`pending\`. After ten failed attempts, which take three
to four days, it is \`failed\`, and you can [send it again](#resendWebhookEvents). An endpoint is disabled automatically if all attempts have failed for 5 days, or immediately if it responds with 410. The 5 days start again when its URL or secret is changed, and at the first failure after 30 hours without an attempt. When an endpoint is disabled,
its pending deliveries fail. While it is disabled, it misses events: read them with [List events](#listEvents).

## Verify webhooks

These receivers are complete programs. They read the signing secret from \`DESK_WEBHOOK_SECRET\`, and listen on port 8080 or on \`PORT\`.

\`\`\`js
${RECEIVERS['Node.js']}
\`\`\`

\`\`\`python
${RECEIVERS.Python}
\`\`\`

In your own server, verify the raw body before it is parsed. In Express, use \`express.raw({ type: 'application/json' })\` for the route, and pass \`req.body\`. In Flask, pass \`request.get_data()\`. Instead of the function
\`verify\`, you can use the package \`standardwebhooks\`, which is available for many languages: \`new Webhook(secret).verify(body, headers)\`.

## Signature errors

If your receiver rejects requests from the server, check for these causes in order:

- **The body is not the one that was sent.** Parsing and serializing JSON can change whitespace and the order of members. Verify the bytes that you received.
- **The secret is wrong.** Each endpoint has its own secret, and \`listen.mjs\` signs with the secret that it prints. It generates a new secret each time it starts, unless \`DESK_WEBHOOK_SECRET\` is set. Restart the receiver after you set \`DESK_WEBHOOK_SECRET\`. Decode the part after \`whsec_\` from Base64 before you use it as the key.
- **The clock is wrong.** Your machine's clock must be accurate to within five minutes.
- **The secret was rotated.** For 24 hours, the header contains two signatures, separated by a space: one for each secret. After that, only the new secret is used.
- **A proxy changed the request.** It must pass on the three \`webhook-\` headers and the body unchanged.

## Changelog

**22 November 2026**

- **Customers** can be listed, read and changed. An order creates its customer if it does not exist.
- **Coupons** can be created and changed.
- **Tickets** can be listed, filtered by check-in status and ticket type, and changed.
- **Pages**, a seller's products and events, can be listed and read, with their entry policy, times and capacity. \`reentry\` is a new entry policy.
- **Single records**: \`GET /v1/{list}/{id}\` returns a record with an \`ETag\`, which changes accept in \`If-Match\`.
- **Date filters**: \`created[gte]\`, \`created[gt]\`, \`created[lte]\` and \`created[lt]\` on every list.
- **Events** describe every change to a record and are kept for 30 days. **Webhooks** send them to your endpoints, whose deliveries can be listed.
- **\`Idempotency-Key\`** is accepted for every change. New errors: \`record_not_found\`, \`code_taken\`, \`endpoint_disabled\` and \`precondition_failed\`.

**21 November 2026**

- The first version: lists of payments, bookings, subscriptions and coupons, and the validation of tickets.

## Versioning

The path contains the version: \`/v1\`. Within a version, we only make additions: operations, optional parameters, response fields, error codes, and values of free-text fields. Write your client so
that it ignores unknown fields. Nothing is renamed, removed or given a different meaning, and no values are added to enumerations.

A breaking change would be released as \`/v2\` and announced in the changelog. \`/v1\` would then stay available for at least one year and return the headers \`Deprecation\` and \`Sunset\`.
`
