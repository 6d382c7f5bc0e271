/** A failed request is logged in one line with its reason, which the response does not reveal. */
import { sql } from 'drizzle-orm'
import type pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { database } from '@/db/client'
import { UnavailableError } from '@/db/unavailable'
import { openTestDatabase } from '@/testing/seller'
import { ApiError } from '../core/errors'
import { createLog } from '../core/log'
import { newRequestId } from './exchange'
import { errorResponse } from './respond'

const lines: Record<string, unknown>[] = []
const holder = globalThis as typeof globalThis & { checkoutDeskLog?: pino.Logger | undefined }

beforeAll(openTestDatabase)
beforeAll(() => {
  const write = (text: string) => {
    const { time: _, ...line } = JSON.parse(text)
    lines.push(line)
  }
  holder.checkoutDeskLog = createLog({ write })
  holder.checkoutDeskLog.level = 'info'
})
afterAll(() => {
  holder.checkoutDeskLog = undefined
})
beforeEach(() => {
  lines.length = 0
})

const catchFailure = (query: ReturnType<typeof sql>) =>
  database()
    .use(({ rows }) => rows(query))
    .then(
      () => expect.fail('nothing was thrown'),
      (error: unknown) => error,
    )

it('logs an outage as a warning with its reason, and returns 503', async () => {
  const error = new UnavailableError('All slots of lists (6) are in use, and no more than 45 callers may wait.', { code: 'queue_full' })
  const response = errorResponse(error, 'req_a')
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(lines).toEqual([
    {
      level: 40,
      requestId: 'req_a',
      reason: 'queue_full',
      cause: { class: 'UnavailableError', code: 'queue_full', message: error.message },
      msg: 'unavailable',
    },
  ])
})

it('logs the SQLSTATE of a canceled statement', async () => {
  const error = await catchFailure(
    sql`do $$ begin raise query_canceled using message = 'canceling statement due to statement timeout'; end $$`,
  )
  expect(errorResponse(error, 'req_b').status).toBe(503)
  expect(lines).toEqual([
    {
      level: 40,
      requestId: 'req_b',
      reason: 'statement_timeout',
      cause: { class: 'PostgresError', code: '57014', message: 'canceling statement due to statement timeout' },
      msg: 'unavailable',
    },
  ])
})

it('logs an invalid statement as an error with its stack, and returns 500 without details', async () => {
  const response = errorResponse(await catchFailure(sql`select nonsense from sellers`), 'req_c')
  expect([response.status, response.headers.get('retry-after')]).toEqual([500, null])
  expect(await response.text()).not.toMatch(/nonsense|42703/)
  expect(lines).toMatchObject([
    {
      level: 50,
      requestId: 'req_c',
      msg: 'internal',
      error: { code: '42703', message: 'column "nonsense" does not exist', stack: expect.stringContaining('at ') },
    },
  ])
})

it('does not log errors that the client caused', () => {
  expect(errorResponse(new ApiError('body_invalid', 'The body is not valid JSON.'), 'req_d').status).toBe(400)
  expect(lines).toEqual([])
})

it('never repeats a request ID', () => {
  const ids = Array.from({ length: 2_000 }, newRequestId)
  expect(new Set(ids).size).toBe(2_000)
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{24}$/)
})
