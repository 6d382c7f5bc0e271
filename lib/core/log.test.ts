/** Errors are logged with their cause, without the values that PostgreSQL, the driver or drizzle includes in them. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Connection, database, openDatabase } from '@/db/client'
import { users } from '@/db/schema'
import { withOwnDatabase } from '@/testing/own-database'
import { makeSeller } from '@/testing/seller'
import { ApiError, toApiError } from './errors'
import { createLog, describeError } from './log'

const testDatabase = withOwnDatabase()
const EMAIL = 'jane.doe@example.com'

const thrownBy = (work: () => Promise<unknown>): Promise<unknown> =>
  work().then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error,
  )
const catchFailure = (query: ReturnType<typeof sql>) => thrownBy(() => database().use(({ rows }) => rows(query)))

/** Returns the description of an error as it is written to the log. */
const toLoggedText = (error: unknown) => JSON.stringify(describeError(error))

let seller: string
beforeAll(async () => {
  seller = await makeSeller()
})

it('replaces errors in log lines with their descriptions', () => {
  const lines: string[] = []
  const logger = createLog({ write: (line) => lines.push(line) })
  logger.level = 'warn'
  logger.warn({ error: new Error(`No user ${EMAIL}`, { cause: 1 }) }, 'failed')
  expect(JSON.parse(lines.join())).toMatchObject({
    error: { class: 'Error', message: 'No user …@…', cause: { class: 'number' } },
    msg: 'failed',
  })
})

describe('describeError', () => {
  it.each(['@', 'a', 'a@b.'])('takes less than a second to describe an error that repeats %j 2,000 times', (text) => {
    const error = new Error(text.repeat(2_000))
    const start = performance.now()
    describeError(error)
    expect(performance.now() - start).toBeLessThan(1_000)
  })

  it('includes the name of the constraint in a unique violation, but not the value', async () => {
    const user = { id: 'a'.repeat(24), sellerId: seller, email: EMAIL, passwordHash: 'secret-hash', role: 'owner' as const }
    const insert = (id: string) => database().use(({ orm }) => orm.insert(users).values({ ...user, id }))
    await insert('a'.repeat(24))
    const error = await thrownBy(() => insert('b'.repeat(24)))
    expect(String(error)).toContain(EMAIL)
    expect(describeError(error)).toMatchObject({
      class: 'DrizzleQueryError',
      cause: {
        class: 'PostgresError',
        code: '23505',
        table: 'users',
        message: expect.stringMatching(/^duplicate key value violates unique constraint "users_\w+"$/),
      },
    })
    expect(toLoggedText(error)).not.toMatch(/jane|secret-hash/)
    expect(toApiError(error).code).toBe('internal')
  })

  it('removes the quoted value of a data exception', async () => {
    const error = await catchFailure(sql`select ${`x"${EMAIL}"y`}::text::int`)
    expect(describeError(error)).toMatchObject({ code: '22P02', message: 'invalid input syntax for type integer: "…"' })
    expect(toLoggedText(error)).not.toContain('jane')
  })

  it('reports an undefined column as an internal error, with a hint and the stack', async () => {
    const error = await catchFailure(sql`select nonsense from sellers where id = ${EMAIL}`)
    expect(describeError(error)).toMatchObject({
      class: 'PostgresError',
      code: '42703',
      message: 'column "nonsense" does not exist',
      hint: expect.stringContaining('desk -- migrate'),
      stack: expect.stringMatching(/^at .*:\d+:\d+/),
    })
    expect(toLoggedText(error)).not.toContain('jane')
    expect(toApiError(error).code).toBe('internal')
  })

  it.each([
    ['an undefined function', sql`select no_such_function()`, '42883'],
    ['an undefined table', sql`select from no_such_table`, '42P01'],
    ['a syntax error', sql`selec 1`, '42601'],
  ])('treats %s as an internal error, not as an outage', async (_, query, code) => {
    const error = await catchFailure(query)
    expect([describeError(error).code, toApiError(error).code]).toEqual([code, 'internal'])
  })

  it('reports a statement timeout, without the stack', async () => {
    const pool = openDatabase({ url: testDatabase.url, max: 1, statementMs: 300_000 })
    const sleep = ({ rows }: Connection) => rows(sql`set local statement_timeout = 50`).then(() => rows(sql`select pg_sleep(60)`))
    const error = await thrownBy(() => pool.transaction(sleep))
    await pool.close(0)
    expect(describeError(error)).toEqual({
      class: 'UnavailableError',
      code: 'statement_timeout',
      message: 'The database is unavailable.',
      cause: { class: 'PostgresError', code: '57014', message: 'canceling statement due to statement timeout' },
    })
    expect(toApiError(error).code).toBe('unavailable')
  })

  it('reports a refused connection', async () => {
    const nowhere = openDatabase({ url: 'postgres://user:secret@127.0.0.1:9/none', max: 1 })
    const error = await thrownBy(() => nowhere.use(({ rows }) => rows(sql`select 1`)))
    await nowhere.close(0)
    expect(describeError(error)).toMatchObject({
      code: 'connection_refused',
      cause: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:9' },
    })
    expect(toLoggedText(error)).not.toContain('secret')
  })

  it('reports which pool is exhausted and which queue is full', { tags: 'slow' }, async () => {
    const pool = openDatabase({ url: testDatabase.url, name: 'doors', max: 1, queue: 1 })
    const sleep = (seconds: number) => pool.use(({ rows }) => rows(sql`select pg_sleep(${seconds}::float8)`))
    const busy = sleep(1.5)
    const [exhausted, full] = await Promise.all([thrownBy(() => sleep(0)), thrownBy(() => sleep(0))])
    await busy
    await pool.close(0)
    expect(describeError(exhausted)).toEqual({
      class: 'UnavailableError',
      code: 'pool_exhausted',
      message: "All slots of the connection pool 'doors' (1) stayed in use for at least 750 ms.",
    })
    expect(describeError(full)).toMatchObject({
      code: 'queue_full',
      message: "All slots of the connection pool 'doors' (1) are in use, and no more than 1 callers may wait.",
    })
  })

  it('keeps the class, message and stack of a programming error, and describes its cause', () => {
    const error = new TypeError("Cannot read properties of undefined (reading 'id')", { cause: new Error('a row without a record') })
    expect(describeError(error)).toMatchObject({
      class: 'TypeError',
      message: "Cannot read properties of undefined (reading 'id')",
      stack: expect.stringContaining('log.test.ts'),
      cause: { class: 'Error', message: 'a row without a record' },
    })
  })

  it('keeps the code and message of an ApiError', () => {
    expect(describeError(new ApiError('body_invalid', 'The body is not valid JSON.'))).toMatchObject({
      class: 'ApiError',
      code: 'body_invalid',
      message: 'The body is not valid JSON.',
    })
  })

  it('removes input quoted by JSON.parse, email addresses, keys, and the user and password in connection strings', () => {
    const parse = () => {
      try {
        return JSON.parse(`{"email": "${EMAIL}" secret}`)
      } catch (error) {
        return error
      }
    }
    expect(toLoggedText(parse())).not.toMatch(/jane|secret/)
    const key = `desk_${'0'.repeat(36)}`
    expect(describeError(new Error(`No user ${EMAIL} of postgres://desk:secret@db/desk for ${key}`)).message).toBe(
      'No user …@… of postgres://…@db/desk for desk_…',
    )
  })

  it('describes all errors of nested AggregateErrors', () => {
    const inner = new AggregateError([new Error('a'), new Error('b')])
    expect(describeError(new AggregateError([inner, new Error('c')]))).toMatchObject({
      class: 'AggregateError',
      cause: { class: 'AggregateError', cause: { message: 'a' }, others: [{ message: 'b' }] },
      others: [{ message: 'c' }],
    })
  })

  it('describes each error once if the causes form a cycle', () => {
    const first = new Error('a')
    const second = new AggregateError([first, new Error('c'), first], '')
    first.cause = second
    second.cause = first
    expect(describeError(first)).toMatchObject({ message: 'a', cause: { class: 'AggregateError', others: [{ message: 'c' }] } })
    expect(describeError(first).cause).not.toHaveProperty('cause')
  })

  it('does not mistake lines of the message for stack frames', () => {
    const error = new Error(`first\n    at ${EMAIL}:1:1`)
    expect(describeError(error).stack).not.toContain('jane')
  })

  it('returns the number of validation issues instead of the issues', () => {
    const result = z.strictObject({ id: z.string() }).safeParse({ [EMAIL]: 1 })
    expect(describeError(result.error)).toMatchObject({ class: 'ZodError', message: '2 issues' })
  })

  it('returns only the type of a thrown value that is not an error', () => {
    expect(describeError(EMAIL)).toEqual({ class: 'string' })
  })
})
