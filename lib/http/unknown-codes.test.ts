/** Guessing ticket codes is limited: above the limit, previews reveal nothing, but guests are still admitted. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { importLines, makeKey, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { countStatements } from '@/testing/statements'
import { resumeKey } from '../accounts/pause-key'
import { refundUnknownCode } from './unknown-codes'
import { validateTicketRoute } from './validate-ticket-route'

beforeAll(openTestDatabase)

/** The limit on unknown codes per minute, a tenth of the rate limit for requests. */
const BUDGET = 100

/** Creates a seller with tickets and an API key. @returns functions that validate a code, and that guess a new one on each call */
async function openShop(tickets: number) {
  const seller = await makeSeller()
  const { id, key } = await makeKey(seller)
  const lines = Array.from({ length: tickets }, () => minimal('tickets'))
  await importLines('tickets', seller, lines)
  const validate = async (code: unknown, checkIn = true, options: { metadata?: object[]; idempotencyKey?: string } = {}) => {
    const { idempotencyKey, ...members } = options
    const body = JSON.stringify({ checkIn, ...members })
    const headers = {
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': `${body.length}`,
    }
    const request = new Request(`http://localhost/v1/tickets/validate/${code}`, { method: 'POST', headers, body })
    const response = await validateTicketRoute.POST(request, { params: Promise.resolve({ qrCode: String(code) }) })
    const { requestId: _, ...json } = (await response.json()) as Record<string, unknown>
    return { status: response.status, json, headers: response.headers }
  }
  let guessed = 0
  const guess = (checkIn = true) => {
    guessed += 1
    return validate(`guess-${guessed}`, checkIn)
  }
  return { seller, keyId: id, codes: lines.map(({ qrCode }) => String(qrCode)), validate, guess }
}

const toComparable = ({ status, json, headers }: Awaited<ReturnType<Awaited<ReturnType<typeof openShop>>['validate']>>) => ({
  status,
  json: { ...json, message: String(json.message).replace(/\d+ seconds?/, 'n seconds') },
  headers: [...headers.keys()].sort(),
  limit: [headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')],
})

describe('a key above its limit on unknown codes', () => {
  it('receives the same 429 for previews of known and unknown codes, and can still check in tickets', async () => {
    const { codes, validate, guess } = await openShop(2)
    for (let i = 0; i < BUDGET; i += 1) expect((await guess(i % 2 === 0)).status).toBe(404)
    const [unknown, known] = [await guess(false), await validate(codes[0], false)]
    expect(toComparable(unknown)).toMatchObject({ status: 429, json: { code: 'rate_limited', param: 'qrCode' }, limit: ['100', '0'] })
    expect(toComparable(known)).toEqual(toComparable(unknown))
    // The key itself is looked up once a second, so at least one of two consecutive previews needs no statement.
    const preview = () => countStatements(async () => expect((await validate(codes[0], false)).status).toBe(429))
    expect([await preview(), await preview()]).toContain(0)
    expect((await guess()).status).toBe(429)
    for (const code of codes) expect(await validate(code)).toMatchObject({ status: 200, json: { success: true } })
  })

  it('receives the same 429 for known and unknown codes with a reused idempotency key or too much metadata', async () => {
    const { codes, validate, guess } = await openShop(2)
    const reused = { idempotencyKey: 'scan-1' }
    expect(await validate(codes[0], true, reused)).toMatchObject({ status: 200 })
    for (let i = 0; i < BUDGET; i += 1) await guess()
    const metadata = Array.from({ length: 51 }, (_, index) => ({ key: `note ${index}`, value: 'x' }))
    for (const options of [reused, { metadata }]) {
      const [unknown, known] = [await validate('guess', true, options), await validate(codes[1], true, options)]
      expect(unknown.status).toBe(429)
      expect(toComparable(known)).toEqual(toComparable(unknown))
    }
    // A retry still gets the first response.
    expect(await validate(codes[0], true, reused)).toMatchObject({ status: 200, json: { success: true } })
    expect(await validate(codes[1])).toMatchObject({ status: 200, json: { success: true } })
  })

  it('receives a 404 for at most as many parallel guesses as the limit allows', async () => {
    const { guess } = await openShop(0)
    for (let i = 10; i < BUDGET; i += 1) await guess()
    const statuses = (await Promise.all(Array.from({ length: 40 }, () => guess(false)))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(10)
    expect((await guess(false)).status).toBe(429)
    // On a busy machine, some requests wait too long for a connection.
    for (const status of statuses) expect([404, 429, 503]).toContain(status)
  })

  it('uses up its rate limit with rejected guesses, but not with guesses within the limit', async () => {
    const { codes, validate, guess } = await openShop(1)
    const remaining = async () => Number((await validate(codes[0])).headers.get('ratelimit-remaining'))
    const before = await remaining()
    for (let i = 0; i < BUDGET; i += 1) await guess()
    expect(await remaining()).toBe(before - 1)
    for (let i = 0; i < 10; i += 1) expect((await guess()).status).toBe(429)
    expect(await remaining()).toBe(before - 12)
  })
})

describe('a key that guesses codes', () => {
  it('is also paused for guesses above its limit', async () => {
    const { seller, keyId, guess } = await openShop(0)
    const earlier = sql`
      insert into validation_attempts (seller_id, at, outcome, actor_id)
      select ${seller}, now() - interval '30 minutes', 'unknown', ${keyId} from generate_series(1, 499)`
    for (let i = 0; i < BUDGET; i += 1) expect((await guess()).status).toBe(404)
    expect((await guess()).status).toBe(429)
    expect((await guess()).status).toBe(429)
    await database().use(({ rows }) => rows(earlier))
    await refundUnknownCode(seller, keyId, 'req_1')
    expect((await guess()).status).toBe(403)
  })

  it('is paused with 403 after more than 600 unknown codes in an hour, until an owner resumes it', async () => {
    const { seller, keyId, codes, validate, guess } = await openShop(1)
    const earlier = sql`
      insert into validation_attempts (seller_id, at, outcome, actor_id)
      select ${seller}, now() - interval '30 minutes', 'unknown', ${keyId} from generate_series(1, 599)`
    await database().use(({ rows }) => rows(earlier))
    expect((await guess()).status).toBe(404)
    expect(await validate(codes[0], false)).toMatchObject({ status: 200 })
    expect((await guess()).status).toBe(404)
    const paused = await validate(codes[0])
    expect(paused).toMatchObject({ status: 403, json: { error: 'Forbidden', code: 'key_paused' } })
    expect(paused.json.message).toMatch(/paused until \d{4}-.*An owner can resume it under Settings → API keys\.$/)
    expect(await resumeKey(seller, keyId)).toBe(true)
    expect(await validate(codes[0])).toMatchObject({ status: 200, json: { success: true } })
    expect((await guess()).status).toBe(404)
  })
})
