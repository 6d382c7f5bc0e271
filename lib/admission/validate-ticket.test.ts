/** Only one guest is admitted with a ticket, no matter how many doors scan it at the same time. */
import { randomUUID } from 'node:crypto'
import { fillPlaceholders, type SQL, sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileStatement, type Database, database, openDatabase, setDatabase, setPools, type Values } from '@/db/client'
import { parseDecidedResult, retryUnavailable, serializeResult, validate, withoutCommit } from '@/testing/admission'
import { withLongTimeouts } from '@/testing/long-timeouts'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { untilBlocking } from '@/testing/until-blocking'
import { type ChangeResult, changeOnce, type Validation, validateTicket } from './change-ticket'
import { decideValidation, type TicketContext } from './decide'
import { purgeIdempotencyKeys } from './idempotency-keys'

beforeAll(openTestDatabase)

const rows = <Row>(query: ReturnType<typeof sql>) => database().use((connection) => connection.rows<Row>(query))

async function makeTicket(members: Record<string, unknown> = {}): Promise<Validation & { code: string }> {
  const sellerId = await makeSeller()
  const line = minimal('tickets', members)
  await importLines('tickets', sellerId, [line])
  return { sellerId, code: String(line.qrCode), metadata: [], checkIn: true, actorId: 'door', body: {} }
}

const DOORS = 50

type Admit = (validation: Validation) => Promise<ChangeResult>

const admitOnThisServer: Admit = (validation) => validateTicket(validation, serializeResult)

/** Validates a ticket as a request to another server would: only the lock on the ticket's row serializes requests to different servers. */
const admitOnOtherServer: Admit = (validation) =>
  database().transaction((connection) =>
    changeOnce(connection, 'validation', validation, (context) => decideValidation(context, validation), serializeResult),
  )

/** Returns whether the guest was admitted, or the name of the error. */
const scan = (validation: Validation, admit: Admit): Promise<boolean | string> =>
  retryUnavailable(() => admit(validation)).then(
    (change) => parseDecidedResult(change).success,
    (error: Error) => error.name,
  )

/** Scans a ticket at all doors. Returns how many scans were admitted and refused, and how many check-ins and attempts were stored. */
async function rush(validation: Validation, admit: Admit) {
  const responses = await Promise.all(Array.from({ length: DOORS }, () => scan(validation, admit)))
  const [entries] = await rows<{ entries: number; attempts: number }>(sql`
    select (select count(*)::int from check_ins where seller_id = ${validation.sellerId}) as entries,
      (select count(*)::int from validation_attempts where seller_id = ${validation.sellerId}) as attempts`)
  return {
    admitted: responses.filter((response) => response === true).length,
    refused: responses.filter((response) => response === false).length,
    ...entries,
  }
}

it('admits each seller’s own guest if several sellers have tickets with the same code', async () => {
  const qrCode = randomUUID()
  const [first, second] = [await makeTicket({ qrCode }), await makeTicket({ qrCode })]
  // Scans the second ticket first: without the condition on the seller, PostgreSQL would find the first one.
  for (const ticket of [second, first]) expect((await admitOnThisServer(ticket)).result).toMatchObject({ outcome: 'admitted' })
})

describe('fifty concurrent scans of one ticket', () => {
  it.each([
    ['on one server', admitOnThisServer],
    ['on different servers', admitOnOtherServer],
  ])('%s result in one admission and forty-nine refusals', async (_, admit) => {
    expect(await rush(await makeTicket(), admit)).toEqual({ admitted: 1, refused: DOORS - 1, entries: 1, attempts: DOORS })
  })

  describe('without the lock on the ticket’s row', () => {
    let original: Database
    const CONCURRENCY = 8
    const client = postgres(String(process.env.TEST_DATABASE_URL), { max: CONCURRENCY })

    let arrived = 0
    let release = () => {}
    /** Resolves once `CONCURRENCY` transactions have read the ticket, which the lock would prevent. */
    const allHaveRead = new Promise<void>((resolve) => {
      release = resolve
    })
    const waitForAll = () => {
      arrived += 1
      if (arrived === CONCURRENCY) release()
      return allHaveRead
    }

    /** The same database, with `for no key update` removed from every statement. */
    const withoutLocks = (pool: Database): Database => ({
      ...pool,
      transaction: (work) =>
        client.begin((transaction) =>
          work({
            get orm(): never {
              throw new Error('an admission sends its own SQL')
            },
            bytes: () => Promise.reject(new Error('an admission reads no bytes')),
            rows: async <Row>(query: SQL, values: Values = {}) => {
              const { sql: text, params } = compileStatement(query)
              if (/^\s*with attempt/.test(text)) await waitForAll()
              return (await transaction.unsafe(
                text.replace('for no key update', ''),
                fillPlaceholders(params, values) as never[],
              )) as unknown as Row[]
            },
          }),
        ) as Promise<never>,
    })

    beforeAll(() => {
      original = database()
      setDatabase(withoutLocks(original))
    })
    afterAll(async () => {
      setDatabase(original)
      await client.end()
    })

    it('do not all get a response, so the test above depends on the lock', { tags: 'slow' }, async () => {
      const { admitted, refused, entries } = await rush(await makeTicket(), admitOnOtherServer)
      expect(refused).toBeLessThan(DOORS - 1)
      // The unique indexes still prevent a second admission.
      expect(admitted).toBe(1)
      expect(entries).toBe(1)
    })
  })
})

describe('a scan that waits for a transaction which gives the code to another ticket', () => {
  it('admits the guest with the other ticket', async () => {
    const validation = await makeTicket()
    const { sellerId, code } = validation
    const other = minimal('tickets')
    await importLines('tickets', sellerId, [other])
    const setCode = (before: string, after: string) => sql`
      update tickets set qr_code = ${after}, record = jsonb_set(record::jsonb, '{qrCode}', to_jsonb(${after}::text))::json
      where seller_id = ${sellerId} and qr_code = ${before}`
    const scanning = await database().transaction(async (connection) => {
      await connection.rows(setCode(code, randomUUID()))
      await connection.rows(setCode(String(other.qrCode), code))
      const scanning = admitOnThisServer(validation)
      await untilBlocking(connection)
      return { scanning }
    })
    expect(parseDecidedResult(await scanning.scanning)).toMatchObject({ outcome: 'admitted', ticket: { id: other.id } })
    expect(await rows(sql`select outcome from validation_attempts where seller_id = ${sellerId}`)).toEqual([{ outcome: 'admitted' }])
  })
})

describe('a second scan', () => {
  it('is decided according to what the first scan committed', async () => {
    const validation = await makeTicket()
    const { first, second } = await database().transaction(async (connection) => {
      const decide = (context: TicketContext) => decideValidation(context, validation)
      const first = await changeOnce(withoutCommit(connection), 'validation', validation, decide, serializeResult)
      const second = admitOnOtherServer(validation)
      // The second scan waits for the lock on the ticket's row or, without the lock, for the first scan's writes.
      await untilBlocking(connection)
      return { first, second }
    })
    expect(parseDecidedResult(first).outcome).toBe('admitted')
    expect(parseDecidedResult(await second).outcome).toBe('already_checked_in')
  })

  it('returns the time of the first check-in as the ticket’s updatedAt', async () => {
    const validation = await makeTicket({ createdAt: '2026-01-01T00:00:00.000Z' })
    const { ticket } = await validate(validation)
    expect(ticket.updatedAt > '2026-01-01T00:00:00.000Z').toBe(true)
    const again = await validate(validation)
    expect(again.ticket).toEqual(ticket)
  })
})

describe('a ticket with a long history', () => {
  /** Makes a ticket with `count` entries in its history that can be used again. */
  async function makeUsedTicket(count: number) {
    const validation = await makeTicket()
    await rows(sql`
      insert into check_ins (seller_id, ticket_id, sequence, method, status, day, actor_id)
      select seller_id, id, sequence, 'QRSCAN', 'UNCHECKEDIN', '2026-01-01', 'door'
      from tickets, generate_series(1, ${count}::int) as sequence where seller_id = ${validation.sellerId}`)
    await rows(sql`update tickets set check_in_count = ${count}::int where seller_id = ${validation.sellerId}`)
    // After an undo, a ticket can be used again.
    await rows(sql`update check_ins set method = 'MANUAL' where seller_id = ${validation.sellerId} and sequence = ${count}::int`)
    return validation
  }

  it('accepts no entries after the first 10,000', async () => {
    const validation = await makeUsedTicket(9_999)
    expect(await scan(validation, admitOnThisServer)).toBe(true)
    await expect(validateTicket({ ...validation, direction: 'out' }, serializeResult)).rejects.toMatchObject({ code: 'body_invalid' })
    expect(await rows(sql`select check_in_count from tickets where seller_id = ${validation.sellerId}`)).toEqual([
      { check_in_count: 10_000 },
    ])
  })

  it('is returned with its latest 200 entries in its details, oldest first', async () => {
    const { details } = await validateTicket({ ...(await makeUsedTicket(300)), shouldReadDetails: true }, serializeResult)
    const sequences = details?.history.map(({ sequence }) => sequence)
    expect([sequences?.length, sequences?.at(0), sequences?.at(-1)]).toEqual([200, 102, 301])
  })
})

describe('an idempotency key', () => {
  it('lets only one of fifty concurrent requests run, and gives all of them the same response', async () => {
    const validation = { ...(await makeTicket()), idempotencyKey: 'scan-1' }
    const responses = await Promise.all(Array.from({ length: DOORS }, () => retryUnavailable(() => admitOnThisServer(validation))))
    expect(new Set(responses.map(({ response }) => response.body)).size).toBe(1)
    expect(responses.filter(({ result }) => result)).toHaveLength(1)
    expect(await rows(sql`select outcome from validation_attempts where seller_id = ${validation.sellerId}`)).toEqual([
      { outcome: 'admitted' },
    ])
  })

  it('that is sent concurrently with two codes is accepted for only one of them, and one guest is admitted', async () => {
    const first = { ...(await makeTicket()), idempotencyKey: 'shared' }
    const other = minimal('tickets')
    await importLines('tickets', first.sellerId, [other])
    const second = { ...first, code: String(other.qrCode) }
    const { changes } = await database().transaction(async (connection) => {
      // Both requests look for a stored response before one of them stores its own.
      await connection.rows(sql`lock table idempotency_keys in share mode`)
      const changes = Promise.all([admitOnThisServer(first), admitOnThisServer(second)])
      await untilBlocking(connection, 2)
      return { changes }
    })
    expect((await changes).map(({ result }) => result?.outcome).sort()).toEqual(['admitted', 'idempotency_mismatch'])
    expect(await rows(sql`select 1 as one from check_ins where seller_id = ${first.sellerId}`)).toHaveLength(1)
  })

  it('expires after 30 days', async () => {
    const validation = { ...(await makeTicket()), idempotencyKey: 'old' }
    const { response: first } = await admitOnThisServer(validation)
    const setAge = (days: number) =>
      rows(sql`update idempotency_keys set created_at = now() - ${`${days} days`}::interval where seller_id = ${validation.sellerId}`)
    await setAge(29)
    expect(await admitOnThisServer(validation)).toEqual({ response: first })
    await setAge(31)
    const late = await admitOnThisServer(validation)
    expect(late.result).toMatchObject({ outcome: 'already_checked_in' })
    // The later response is now stored under the key.
    expect(await admitOnThisServer(validation)).toEqual({ response: late.response })
    await setAge(31)
    await purgeIdempotencyKeys()
    expect(await rows(sql`select 1 as one from idempotency_keys where seller_id = ${validation.sellerId}`)).toEqual([])
  })
})

it('during a rush of one seller’s scans, another seller’s scan waits for at most two of them, not for all of them', async () => {
  const rushed = await Promise.all(Array.from({ length: 6 }, () => makeTicket()))
  const sellerId = rushed[0]?.sellerId ?? ''
  const other = await makeTicket()
  const door = openDatabase({ url: String(process.env.TEST_DATABASE_URL), name: 'doors', max: 1 })
  setPools(new Map([['doors', door]]))
  const order: string[] = []
  try {
    await withLongTimeouts(async () => {
      // All codes but the first belong to other sellers, so these scans find no ticket.
      const scans = rushed.map((validation) => admitOnThisServer({ ...validation, sellerId }).then(() => order.push('rush')))
      await Promise.all([...scans, admitOnThisServer(other).then(() => order.push('other'))])
    })
  } finally {
    setPools(new Map())
    await door.close(0)
  }
  // One scan holds the connection, and one is already waiting when the other seller's scan arrives.
  expect(order.indexOf('other')).toBeLessThanOrEqual(2)
})

describe('a fault', () => {
  it('during an admission leaves the ticket unchanged', async () => {
    const validation = await makeTicket()
    const original = database()
    setDatabase({
      ...original,
      transaction: (work) =>
        original.transaction(async (connection) => {
          await work(withoutCommit(connection))
          throw new Error('the server dies before COMMIT')
        }),
    })
    await expect(admitOnThisServer(validation)).rejects.toThrow('dies')
    setDatabase(original)
    expect(await validate(validation)).toMatchObject({
      success: true,
      ticket: { checkIns: [{ status: 'CHECKEDIN' }] },
    })
  })

  it('such as a locked row makes only that ticket unavailable, and is never reported as a rejected ticket', { tags: 'slow' }, async () => {
    const validation = await makeTicket()
    const other = minimal('tickets')
    await importLines('tickets', validation.sellerId, [other])
    const holder = openDatabase({ url: String(process.env.TEST_DATABASE_URL), max: 1 })
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const held = holder.transaction(async (connection) => {
      await connection.rows(sql`select 1 from tickets where seller_id = ${validation.sellerId} and qr_code = ${validation.code} for update`)
      await released
    })
    await expect
      .poll(() => rows(sql`select 1 as one from tickets where seller_id = ${validation.sellerId} for update skip locked`))
      .toHaveLength(1)
    const stuck = admitOnThisServer(validation).catch((error: Error) => error.name)
    expect(await validate({ ...validation, code: String(other.qrCode) })).toMatchObject({ success: true })
    expect(await stuck).toBe('UnavailableError')
    release()
    await held
    await holder.close()
    expect(await validate(validation)).toMatchObject({ success: true })
  })
})
