/** Validating a ticket over the API runs few statements, and is safe to retry. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { importLines, makeKey, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { countStatements } from '@/testing/statements'
import { addEndpoint, listDeliveries } from '@/testing/webhooks'
import { validateTicketRoute } from './validate-ticket-route'

beforeAll(openTestDatabase)

/** Creates a seller with a ticket. Returns the seller, the ticket's code, and a function that validates a code. */
async function makeTicket() {
  const seller = await makeSeller()
  const { key } = await makeKey(seller, 'tickets:validate')
  const line = minimal('tickets')
  await importLines('tickets', seller, [line])
  const validate = (code: unknown, headers: Record<string, string> = {}, body?: string) => {
    const request = new Request(`http://localhost/v1/tickets/validate/${code}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body && { 'Content-Type': 'application/json', 'Content-Length': `${body.length}` }),
        ...headers,
      },
      ...(body && { body }),
    })
    return validateTicketRoute.POST(request, { params: Promise.resolve({ qrCode: String(code) }) })
  }
  return { seller, code: String(line.qrCode), validate }
}

describe('a validation over the API', () => {
  it('runs 7 statements: look up the key, record its last use, BEGIN, lock the ticket, read its history and settings, write, COMMIT', async () => {
    const { code, validate } = await makeTicket()
    const first = await countStatements(async () => expect((await validate(code, { 'Idempotency-Key': 'a' })).status).toBe(200))
    expect(first).toBe(7)
    // The key is cached, and its last use is recorded at most once a minute.
    expect(await countStatements(() => validate(code, { 'Idempotency-Key': 'b' }))).toBe(5)
    // A replay does not write anything.
    expect(await countStatements(() => validate(code, { 'Idempotency-Key': 'a' }))).toBe(4)
  })

  it('runs no additional statement to queue the event for a webhook endpoint', async () => {
    const { seller, code, validate } = await makeTicket()
    const endpoint = await addEndpoint(seller, 'https://receiver.invalid/')
    expect(await countStatements(() => validate(code, { 'Idempotency-Key': 'a' }))).toBe(7)
    expect(await listDeliveries(endpoint)).toMatchObject([{ state: 'pending' }])
  })

  it('returns a committed admission even if the database fails after COMMIT', async () => {
    const { seller, code, validate } = await makeTicket()
    let status: number | undefined
    let body: unknown
    const work = async () => {
      const response = await validate(code)
      status = response.status
      body = await response.json()
    }
    await countStatements(work, new Error('the database is down'))
    expect(status).toBe(200)
    expect(body).toMatchObject({ success: true, ticket: { checkInStatus: 'CHECKEDIN' } })
    expect(body).not.toHaveProperty('reason')
    const attempts = await database().use(({ rows }) => rows(sql`select outcome from validation_attempts where seller_id = ${seller}`))
    expect(attempts).toEqual([{ outcome: 'admitted' }])
  })

  it('rejects If-Match, which would have no effect, and does not check the guest in', async () => {
    const { seller, code, validate } = await makeTicket()
    const rejected = await validate(code, { 'If-Match': '"another-version"' })
    expect([rejected.status, await rejected.json()]).toMatchObject([400, { code: 'parameter_invalid', param: 'If-Match' }])
    const attempts = await database().use(({ rows }) => rows(sql`select outcome from validation_attempts where seller_id = ${seller}`))
    expect(attempts).toEqual([])
    expect(await (await validate(code)).json()).toMatchObject({ success: true })
  })

  it('replays responses byte for byte, including the 404 for an unknown code', async () => {
    const { code, validate } = await makeTicket()
    for (const [sent, status] of [
      [code, 200],
      ['unknown', 404],
    ] as const) {
      const [first, second] = [
        await validate(sent, { 'Idempotency-Key': `k-${sent}` }),
        await validate(sent, { 'Idempotency-Key': `k-${sent}` }),
      ]
      expect([first.status, second.status]).toEqual([status, status])
      expect(await second.text()).toBe(await first.text())
      expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true'])
    }
  })

  it('rejects an idempotency key that was already used with a different code or body', async () => {
    const { code, validate } = await makeTicket()
    const keyed = { 'Idempotency-Key': 'once' }
    await validate(code, keyed, '{"checkIn":false}')
    for (const again of [await validate(code, keyed), await validate(code, keyed, '{"checkIn":true}'), await validate('other', keyed)]) {
      expect(again.status).toBe(422)
      expect(await again.json()).toMatchObject({ code: 'idempotency_mismatch', param: 'Idempotency-Key' })
    }
    expect((await validate(code, keyed, '{"checkIn":false}')).headers.get('idempotent-replayed')).toBe('true')
  })

  it('rejects metadata that exceeds the ticket’s limit, and stores none of it', async () => {
    const { seller, code, validate } = await makeTicket()
    const many = (from: number) =>
      JSON.stringify({ metadata: Array.from({ length: 30 }, (_, index) => ({ key: `k${from + index}`, value: 'x' })) })
    expect((await validate(code, {}, many(0))).status).toBe(200)
    const refused = await validate(code, {}, many(30))
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ code: 'body_invalid', param: 'metadata' })
    const [stored] = await database().use(({ rows }) =>
      rows<{ count: number }>(sql`select json_array_length(metadata) as count from tickets where seller_id = ${seller}`),
    )
    expect(stored?.count).toBe(30)
  })
})
