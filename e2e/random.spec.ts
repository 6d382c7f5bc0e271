/** Tests that random parameters, codes and bodies never cause a server error and always get a JSON response. */
import fc from 'fast-check'
import { resources } from '@/lib/catalog'
import { minimal } from '@/testing/seller'
import { anyText } from '@/testing/texts'
import { type ApiResponse, describeWrongHeaders, expect, test } from './support/api'

const unusualText = fc.oneof(
  anyText({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 250 }),
  fc.constantFrom(
    '',
    '%',
    '_',
    '\\',
    '\u0000',
    '٣',
    '-0',
    '1e5',
    'paid',
    '2026-03-01',
    '0000-01-01',
    '9999-12-31T23:59:59.999999-23:59',
    '-1',
    'active',
    '‮',
    '"',
    "'; drop table payments; --",
    'f'.repeat(24),
    'null',
    '[]',
    '../..',
    '😀'.repeat(200),
  ),
)
const encode = (text: string) => encodeURIComponent(text.toWellFormed())

/** Checks a response's status and headers. Calls `expect` only on failure, because more than a thousand calls would be slow. */
function expectStatusIn(statuses: number[], response: ApiResponse): void {
  const problems = describeWrongHeaders(response)
  if (!statuses.includes(response.status) || problems.length > 0) expect([statuses, problems], response.text).toEqual([response.status, []])
}

test('random parameters never cause a server error in any list', async ({ api }) => {
  await api.load('payments', [minimal('payments', { customerEmail: 'a@example.com' })])
  const name = fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom('limit', 'starting_after', 'ending_before', 'search', 'status', 'pageId', 'created[gt]', 'created[lte]'),
    },
    { weight: 1, arbitrary: unusualText },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(resources)),
      fc.array(fc.tuple(name, unusualText), { maxLength: 4 }),
      async (resource, pairs) => {
        const query = pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')
        const response = await api.call(`/v1/${resource}?${query}`)
        expectStatusIn([200, 400], response)
        const { error, message, code } = response.json
        if (response.status === 400 && (error !== 'Bad Request' || typeof message !== 'string' || typeof code !== 'string'))
          throw new Error(response.text)
      },
    ),
    { numRuns: 600 },
  )
})

test('random codes, bodies and idempotency keys never cause a server error in a validation', async ({ api }) => {
  const body = fc.oneof(
    fc.json(),
    unusualText,
    fc
      .record(
        { metadata: fc.array(fc.record({ key: unusualText, value: fc.option(unusualText) }), { maxLength: 5 }), checkIn: fc.boolean() },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  )
  await fc.assert(
    fc.asyncProperty(unusualText, body, fc.option(fc.stringMatching(/^[\x20-\x7e]{0,40}$/)), async (code, text, idempotencyKey) => {
      const response = await api.call(`/v1/tickets/validate/${encode(code)}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey.trim() }) },
        body: text,
      })
      // The code `..` gets a 405, because the client resolves dot segments and `/v1/tickets/` has no POST.
      expectStatusIn([400, 404, 405, 422], response)
    }),
    { numRuns: 600 },
  )
})
