/** An import rejects invalid lines as a whole, imports all others, and is idempotent. */
// @module-tag slow
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { validate } from '@/testing/admission'
import { deskArgs } from '@/testing/programs'
import { importLines, importText, type Line, makeSeller, minimal, openTestDatabase, readFixture, toServedRecord } from '@/testing/seller'
import { resources } from '../../catalog'
import { newObjectId } from '../../core/object-id'
import { toListQuery } from '../../listing/list-query'
import { listRecords } from '../../listing/list-records'
import { IMPORT_NAMES, importRecords, type Reject } from './import'

beforeAll(openTestDatabase)

const rows = <Row>(query: ReturnType<typeof sql>) => database().use((connection) => connection.rows<Row>(query))

async function readAll(resource: keyof typeof resources, seller: string): Promise<Line[]> {
  const all: Line[] = []
  let cursor: string | undefined
  for (;;) {
    const { rows, hasMore } = await listRecords(toListQuery(resources[resource], seller, { limit: 100, starting_after: cursor }, true))
    all.push(...rows.map((record) => JSON.parse(record.toString()) as Line))
    cursor = String(all.at(-1)?.id)
    if (!hasMore) return all
  }
}

const newestFirst = (a: Line, b: Line) => (`${b.createdAt}${b.id}` < `${a.createdAt}${a.id}` ? -1 : 1)

const preview = async (seller: string, code: unknown) => {
  const { ticket, success } = await validate({
    sellerId: seller,
    code: String(code),
    metadata: [],
    checkIn: false,
    actorId: 'test',
    body: {},
  })
  return { ticket: ticket as Line, success }
}

describe('imported records', () => {
  it.each(Object.keys(resources) as (keyof typeof resources)[])(
    '%s are listed as they were imported, member for member',
    async (resource) => {
      const seller = await makeSeller()
      const lines = readFixture(resource)
      expect(await importLines(resource, seller, lines)).toMatchObject({
        read: lines.length,
        written: lines.length,
        unchanged: 0,
        rejected: 0,
      })
      expect(await readAll(resource, seller)).toEqual(lines.map((line) => toServedRecord(line, seller)).sort(newestFirst))
    },
  )

  it('tickets are returned as imported, with the days of their check-ins and without codes', async () => {
    const seller = await makeSeller('Europe/Amsterdam')
    const lines = readFixture('tickets')
    expect(await importLines('tickets', seller, lines)).toMatchObject({ written: lines.length, rejected: 0 })
    for (const line of lines) {
      const entries = ((line.checkIns ?? []) as Line[]).map((entry) => ({ ...entry, checkedInAt: String(entry.checkedInAt).slice(0, 10) }))
      const { ticket } = await preview(seller, line.qrCode)
      expect(ticket).toEqual({
        ...toServedRecord(line, seller),
        checkIns: entries.map((entry) => ({ ...entry, checkedInAt: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) })),
        ...(entries.length > 0 ? { latestCheckIn: expect.objectContaining({ status: 'CHECKEDIN' }) } : {}),
        checkInStatus: entries.length > 0 ? 'CHECKEDIN' : 'UNCHECKEDIN',
        metadata: line.metadata,
      })
    }
  })

  it.each(IMPORT_NAMES)('%s are written once if they are imported twice', async (resource) => {
    const seller = await makeSeller()
    const lines = readFixture(resource)
    await importLines(resource, seller, lines)
    expect(await importLines(resource, seller, lines)).toMatchObject({ written: 0, unchanged: lines.length, rejected: 0 })
    // The same content, with the members in a different order and a timestamp with an offset.
    const reworded = lines.map((line) =>
      Object.fromEntries(
        Object.entries(line)
          .map(([name, value]) => [name, name === 'createdAt' ? String(value).replace('Z', '+00:00') : value])
          .reverse(),
      ),
    )
    expect(await importLines(resource, seller, reworded)).toMatchObject({ written: 0, unchanged: lines.length, rejected: 0 })
  })

  it('belong to the importing seller, regardless of the sellerId in a line', async () => {
    const [mine, theirs] = [await makeSeller(), await makeSeller()]
    const line = minimal('coupons', { sellerId: theirs })
    await importLines('coupons', mine, [line])
    expect(await readAll('coupons', mine)).toMatchObject([{ id: line.id, sellerId: mine }])
    expect((await listRecords(toListQuery(resources.coupons, theirs, { limit: 1 }, true))).total).toBe(0)
  })

  it('with random content are listed unchanged', async () => {
    const seller = await makeSeller()
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\u0000') && value.isWellFormed())
    const amount = fc.maxSafeInteger()
    const number = fc
      .oneof(amount, fc.double({ noNaN: true, min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }))
      .map((value) => (Object.is(value, -0) ? 0 : value))
    const instant = fc
      .date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
      .map((date) => date.toISOString())
    const record = fc.record(
      {
        amount,
        status: fc.constantFrom(...resources.payments.filters.status),
        createdAt: instant,
        customerEmail: text,
        orderId: text,
        currency: text,
        livemode: fc.boolean(),
        queryParameters: fc.dictionary(
          text.filter((name) => name !== '__proto__'),
          text,
        ),
        transactionIds: fc.array(text),
        billing: fc.record({ name: text, address: fc.record({ city: text }, { requiredKeys: [] }) }, { requiredKeys: [] }),
        gatewayPaymentIntentClientSecret: text,
        screenWidth: number,
      },
      { requiredKeys: ['amount', 'status', 'createdAt'] },
    )
    const seen = new Map<string, Line>()
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async (many) => {
        const lines = many.map((line) => minimal('payments', JSON.parse(JSON.stringify(line))))
        expect(await importLines('payments', seller, lines)).toMatchObject({ written: lines.length, rejected: 0 })
        for (const line of lines) seen.set(String(line.id), toServedRecord({ taxBreakdown: [], ...line }, seller))
      }),
      { numRuns: 40 },
    )
    expect(await readAll('payments', seller)).toEqual([...seen.values()].sort(newestFirst))
  })
})

describe('an import of records', () => {
  const good = () => minimal('payments')
  const bad: [string, unknown, string, string][] = [
    ['is truncated', '{"id":"65000001', '', 'is not valid JSON'],
    ['is not an object', '[1]', '', 'must be a JSON object'],
    ['has no id', { id: undefined }, 'id', 'is missing'],
    ['has an invalid id', { id: 'abc' }, 'id', '24 hex digits'],
    ['has no createdAt', { createdAt: undefined }, 'createdAt', 'is missing'],
    ['has a nonexistent date', { createdAt: '2026-02-30T00:00:00Z' }, 'createdAt', 'must be a timestamp'],
    ['has a year that can’t be stored', { createdAt: '0000-01-01T00:00:00Z' }, 'createdAt', 'years 1 and 9999'],
    ['has an unknown status', { status: 'payed' }, 'status', 'must be one of created, pending'],
    ['has an amount as a string', { amount: '10' }, 'amount', 'must be a number, not a string'],
    ...['1e999', '1e308', '10.5', '-0.1', '9007199254740992', '-9007199254740993', '90071992547409930e-1', '1e-400'].map(
      (amount): [string, unknown, string, string] => [
        `has the amount ${amount}`,
        `{"id":"650000015a117e0e00000001","createdAt":"2026-01-01T00:00:00Z","status":"paid","amount":${amount}}`,
        'amount',
        'must ',
      ],
    ),
    ...['2500.00000000000000001', '0.99999999999999999999', '9007199254740993', '1e-400'].map(
      (number): [string, unknown, string, string] => [
        `has the deeply nested number ${number}, which JSON.parse rounds`,
        `{"id":"650000015a117e0e00000001","createdAt":"2026-01-01T00:00:00Z","status":"paid","amount":1,"fees":[{"amount":1},{"percentage": ${number} }]}`,
        'fees[1].percentage',
        `must not be ${number}, which would be rounded`,
      ],
    ),
    ['has an unknown member', { surprise: 1 }, 'surprise', '--drop-unknown'],
    ['has a deeply nested unknown member', { billing: { address: { planet: 'x' } } }, 'billing.address.planet', '--drop-unknown'],
    ['contains NUL', { orderId: 'a\u0000b' }, 'orderId', 'NUL'],
    [
      'has half a surrogate pair',
      '{"id":"650000015a117e0e00000001","createdAt":"2026-01-01T00:00:00Z","status":"paid","amount":1,"orderId":"\\ud800"}',
      'orderId',
      'surrogate',
    ],
    [
      'has a member named __proto__',
      '{"id":"650000015a117e0e00000001","createdAt":"2026-01-01T00:00:00Z","status":"paid","amount":1,"queryParameters":{"__proto__":"x"}}',
      'queryParameters.__proto__',
      '__proto__',
    ],
    [
      'has a member named __proto__ with escaped characters',
      '{"id":"650000015a117e0e00000001","createdAt":"2026-01-01T00:00:00Z","status":"paid","amount":1,"queryParameters":{"\\u005f_proto_\\u005F":"x"}}',
      'queryParameters.__proto__',
      '__proto__',
    ],
    ['has null in a list', { transactionIds: ['a', null] }, 'transactionIds[1]', ''],
  ]

  it.each(bad)('rejects a line that %s, reports the path, and imports the other lines', async (_, line, path, reason) => {
    const seller = await makeSeller()
    const [before, after] = [good(), good()]
    const text = typeof line === 'string' ? line : JSON.stringify({ ...good(), ...(line as Line) })
    const result = await importText('payments', seller, `${JSON.stringify(before)}\n${text}\n${JSON.stringify(after)}\n`)
    expect(result).toMatchObject({ read: 3, written: 2, rejected: 1 })
    expect(result.rejects).toEqual([{ line: 2, path, reason: expect.stringContaining(reason), text }])
    expect((await readAll('payments', seller)).map(({ id }) => id).sort()).toEqual([before.id, after.id].sort())
  })

  it('accepts numbers that JSON.parse does not round to a different whole number, and strings of digits', async () => {
    const seller = await makeSeller()
    const numbers = ['9007199254740991', '-9007199254740991', '25e2', '2500.0', '250000000000000000000e-17', '0.00000000000000000']
    const line = (amount: string) =>
      `{"id":"${newObjectId()}","createdAt":"2026-01-01T00:00:00Z","status":"paid","amount":${amount},"orderId":"[9007199254740993,1e-400","sku":"\\"","fees":[{"percentage":0.3333333333333333},{"percentage":0.10000000000000001}]}`
    expect(await importText('payments', seller, numbers.map(line).join('\n'))).toMatchObject({ written: 6, rejects: [] })
    const stored = await readAll('payments', seller)
    expect(new Set(stored.map(({ amount }) => amount))).toEqual(new Set(numbers.map(Number)))
    expect(stored).toMatchObject(
      numbers.map(() => ({
        orderId: '[9007199254740993,1e-400',
        sku: '"',
        fees: [{ percentage: 0.3333333333333333 }, { percentage: 0.1 }],
      })),
    )
  })

  it('imports the other lines if PostgreSQL rejects one', async () => {
    const seller = await makeSeller()
    // A trigger simulates input that matches the schema but is rejected by PostgreSQL, because no such input is known.
    const lines = Array.from({ length: 40 }, () => minimal('tickets'))
    const trigger = sql.raw(`create or replace function refuse_one() returns trigger language plpgsql as $$ begin
      if new.record ->> 'orderId' = 'REFUSE' then raise exception 'no' using errcode = '22023'; end if; return new; end $$;
      create or replace trigger refuse_one before insert on tickets for each row execute function refuse_one()`)
    await database().use(({ orm }) => orm.execute(trigger))
    const bad = { ...lines[17], orderId: 'REFUSE' }
    lines[17] = bad
    const { written, rejects } = await importLines('tickets', seller, lines)
    await database().use(({ orm }) => orm.execute(sql.raw('drop trigger refuse_one on tickets')))
    expect(written).toBe(39)
    expect(rejects).toMatchObject([{ line: 18, reason: 'cannot be stored: PostgreSQL error 22023', text: JSON.stringify(bad) }])
  })

  it('accepts a ticket with an order ID of 8,000 characters', async () => {
    const seller = await makeSeller()
    // Random, because PostgreSQL would compress a repetitive text enough to fit into an index entry.
    const orderId = randomBytes(4000).toString('hex')
    expect(await importLines('tickets', seller, [minimal('tickets', { orderId })])).toMatchObject({ written: 1 })
  })

  it('completes even if another import processes the same records in the opposite order at the same time', async () => {
    const seller = await makeSeller()
    // Enough lines for several batches per worker.
    const lines = Array.from({ length: 2200 }, () => minimal('coupons'))
    await importLines('coupons', seller, lines)
    const changed = lines.map((line) => ({ ...line, timesRedeemed: 1 }))
    const results = await Promise.all([importLines('coupons', seller, changed), importLines('coupons', seller, [...changed].reverse())])
    expect(results.map(({ written, unchanged }) => written + unchanged)).toEqual([2200, 2200])
    expect(results[0].written + results[1].written).toBe(2200)
  })

  it('rejects lines that are not UTF-8, and omits their text, which may contain client secrets', async () => {
    const seller = await makeSeller()
    const lines = ['{"clientSecret":"a"}', '{"clientSecret":"b"}', ''].join('\n')
    const invalid = Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    const rejects: Reject[] = []
    // Without a byte-order mark, ASCII in UTF-16 is valid UTF-8 with NULs.
    for (const bytes of [invalid, Buffer.from(`\ufeff${lines}`, 'utf16le'), Buffer.from(lines, 'utf16le').swap16()]) {
      await importRecords({ resource: 'coupons', seller, input: Readable.from([bytes]), onReject: (reject) => void rejects.push(reject) })
    }
    const [reason, text] = ['is not valid UTF-8', '']
    const utf16 = 'contains a NUL byte. If the input is in UTF-16, convert it to UTF-8'
    expect(rejects).toMatchObject([{ reason, text }, ...Array(3 + 2).fill({ reason: utf16, text })])
  })

  it('rejects a record that is too long, even if the part that is kept ends within a character', async () => {
    const seller = await makeSeller()
    const rejects: Reject[] = []
    for (const start of ['{"a":"', '{"ab":"']) {
      const input = Readable.from([Buffer.from(`${start}${'é'.repeat(600_000)}"}`)])
      await importRecords({ resource: 'coupons', seller, input, onReject: (reject) => void rejects.push(reject) })
    }
    expect(rejects.map(({ reason }) => reason)).toEqual(Array(2).fill('is longer than 1 MiB, the limit for one record'))
  })

  it('removes only unknown members with dropUnknown', async () => {
    const seller = await makeSeller()
    const line = { ...good(), surprise: 1, billing: { name: 'Ada', planet: 'x', address: { moon: 1, city: 'Cork' } } }
    expect(await importText('payments', seller, JSON.stringify(line), { dropUnknown: true })).toMatchObject({ written: 1, rejected: 0 })
    expect(await readAll('payments', seller)).toMatchObject([{ billing: { name: 'Ada', address: { city: 'Cork' } } }])
    expect(JSON.stringify(await readAll('payments', seller))).not.toMatch(/surprise|planet|moon/)
    expect(await importText('payments', seller, JSON.stringify({ ...line, amount: 'x' }), { dropUnknown: true })).toMatchObject({
      rejected: 1,
    })
  })

  it('treats null as absent', async () => {
    const seller = await makeSeller()
    const line = { ...good(), orderId: null, billing: { name: null, phone: '1' } }
    await importLines('payments', seller, [line])
    expect(JSON.stringify(await readAll('payments', seller))).not.toContain('null')
    expect(await readAll('payments', seller)).toMatchObject([{ billing: { phone: '1' } }])
  })

  it('keeps the last of several lines with the same ID', async () => {
    const seller = await makeSeller()
    const line = good()
    expect(await importLines('payments', seller, [line, { ...line, amount: 2 }, line, { ...line, amount: 3 }])).toMatchObject({
      written: 4,
    })
    expect(await readAll('payments', seller)).toMatchObject([{ id: line.id, amount: 3 }])
  })
})

describe('an import of tickets', () => {
  it('rejects a code that another of the seller’s tickets already has, in the same file or stored, no matter which worker writes it', async () => {
    const seller = await makeSeller()
    const ids = ['00', '01', '02', '03'].map((end) => `650000015a117e0e000000${end}`)
    const lines = ids.map((id) => minimal('tickets', { id, qrCode: 'same' }))
    const { written, rejects } = await importLines('tickets', seller, lines)
    expect(written).toBe(1)
    expect(rejects.map(({ line, path }) => [line, path])).toEqual([2, 3, 4].map((line) => [line, 'qrCode']))
    expect((await preview(seller, 'same')).ticket.id).toBe(ids[0])
    const later = await importLines('tickets', seller, [minimal('tickets', { qrCode: 'same' })])
    expect(later).toMatchObject({ rejected: 1, unchanged: 0, rejects: [{ reason: `is already used by ticket ${ids[0]}` }] })
    expect(await importLines('tickets', await makeSeller(), [minimal('tickets', { qrCode: 'same' })])).toMatchObject({ written: 1 })
  })

  it('updates sales data, but never check-ins', async () => {
    const seller = await makeSeller()
    const line = minimal('tickets', { customerName: 'Ada', metadata: [{ key: 'seat', value: 'A1', addedAt: '2026-01-01T00:00:00.000Z' }] })
    await importLines('tickets', seller, [line])
    await validate({
      sellerId: seller,
      code: String(line.qrCode),
      metadata: [{ key: 'gate', value: '2' }],
      checkIn: true,
      actorId: 'door',
      body: {},
    })
    const before = await preview(seller, line.qrCode)
    expect(before.success).toBe(false)
    const again = { ...line, customerName: 'Ada Lovelace', checkIns: [], checkInStatus: 'UNCHECKEDIN', metadata: [] }
    expect(await importLines('tickets', seller, [again])).toMatchObject({ written: 1 })
    const after = await preview(seller, line.qrCode)
    expect(after.success).toBe(false)
    expect(after.ticket).toEqual({ ...before.ticket, customerName: 'Ada Lovelace' })
  })

  it('stores imported check-ins with a day or an exact time, and rejects a contradictory status', async () => {
    const seller = await makeSeller('Pacific/Auckland')
    const entry = (checkedInAt: string, status = 'CHECKEDIN') => ({ method: 'MANUAL', checkedInAt, status })
    const lines = [
      minimal('tickets', { checkIns: [entry('2026-03-01T23:00:00.000Z')] }),
      minimal('tickets', { checkIns: [entry('2026-03-01')] }),
      minimal('tickets', { checkIns: [entry('2026-03-01'), entry('2026-03-02', 'UNCHECKEDIN')] }),
      minimal('tickets', { latestCheckIn: entry('2026-03-01') }),
      minimal('tickets', { checkInStatus: 'CHECKEDIN' }),
      minimal('tickets', { checkIns: [entry('2026-03-01')], checkInStatus: 'UNCHECKEDIN' }),
    ]
    const { rejects } = await importLines('tickets', seller, lines)
    expect(rejects).toMatchObject([{ line: 6, path: 'checkInStatus' }])
    const states = await Promise.all(lines.slice(0, 5).map(async ({ qrCode }) => (await preview(seller, qrCode)).ticket))
    expect(states.map(({ checkInStatus }) => checkInStatus)).toEqual(['CHECKEDIN', 'CHECKEDIN', 'UNCHECKEDIN', 'CHECKEDIN', 'CHECKEDIN'])
    expect(states[0]?.checkIns).toEqual([entry('2026-03-02')])
    expect(states[1]?.latestCheckIn).toEqual(entry('2026-03-01'))
  })

  it('marks the first check-in since the last exit as the current one, as a check-in at the door does', async () => {
    const seller = await makeSeller()
    const history = ['CHECKEDIN', 'UNCHECKEDIN', 'CHECKEDIN', 'CHECKEDIN']
    const checkIns = history.map((status, index) => ({ method: 'MANUAL', checkedInAt: `2026-03-0${index + 1}`, status }))
    await importLines('tickets', seller, [minimal('tickets', { checkIns })])
    const current = await rows(sql`select sequence from check_ins where seller_id = ${seller} and is_current`)
    expect(current).toEqual([{ sequence: 3 }])
  })

  it('rejects a check-in date in the year 0, which PostgreSQL does not have', async () => {
    const seller = await makeSeller()
    const entry = (checkedInAt: string) => ({ method: 'MANUAL', checkedInAt, status: 'CHECKEDIN' })
    const lines = ['0000-12-31', '0001-01-01'].map((date) => minimal('tickets', { checkIns: [entry(date)] }))
    const { rejects } = await importLines('tickets', seller, lines)
    expect(rejects).toMatchObject([{ line: 1, path: 'checkIns[0].checkedInAt', reason: 'must be between the years 1 and 9999' }])
  })
})

describe('an interrupted import', () => {
  it('leaves only complete batches, and is completed by the next run', async () => {
    const seller = await makeSeller()
    const lines = Array.from({ length: 3_500 }, (_, index) =>
      minimal('tickets', {
        customerName: `Guest ${index}`,
        checkIns: [{ method: 'QRSCAN', checkedInAt: '2026-01-01', status: 'CHECKEDIN' }],
      }),
    )
    const texts = lines.map((line) => `${JSON.stringify(line)}\n`)
    const counts = async () => {
      const [row] = await rows<{ tickets: number; entries: number; half: number }>(sql`
        select count(*)::int as tickets, (select count(*)::int from check_ins where seller_id = ${seller}) as entries,
          count(*) filter (where check_in_count <> 1 or check_in_status <> 'CHECKEDIN')::int as half
        from tickets where seller_id = ${seller}`)
      return row
    }
    // Standard input stays open, so that the import is certainly not complete when it is killed.
    const killed = spawn(process.execPath, deskArgs('import', 'tickets', '-', '--seller', seller), {
      env: { ...process.env, DATABASE_URL: String(process.env.TEST_DATABASE_URL) },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // If the process is killed before it has read everything, writing the rest fails.
    killed.stdin.on('error', () => {})
    killed.stdin.write(texts.slice(0, 3_000).join(''))
    await expect.poll(async () => (await counts())?.tickets, { interval: 20 }).toBeGreaterThan(0)
    killed.kill('SIGKILL')
    await new Promise((resolve) => killed.once('exit', resolve))
    // The server might still be executing statements that it received.
    const busy = () =>
      rows(sql`select 1 from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid()
        and (query like '%insert into "tickets"%' or query ilike 'commit%' or query ilike 'begin%')`)
    await expect.poll(busy).toEqual([])
    const middle = await counts()
    expect(middle?.tickets).toBeLessThan(lines.length)
    expect(middle).toMatchObject({ entries: middle?.tickets, half: 0 })
    expect(await importText('tickets', seller, texts.join(''))).toEqual({
      resource: 'tickets',
      read: lines.length,
      written: lines.length - (middle?.tickets ?? 0),
      unchanged: middle?.tickets,
      rejected: 0,
      rejects: [],
    })
    expect(await counts()).toEqual({ tickets: lines.length, entries: lines.length, half: 0 })
  })
})
