/** An erasure leaves none of a person's data in any table, keeps the data of others, and also applies to data that is written later. */
// @module-tag slow
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it, vi } from 'vitest'
import { database, openDatabase, setDatabase } from '@/db/client'
import { validate } from '@/testing/admission'
import { deliver, makeAccount, readRecords } from '@/testing/ingest'
import { ERASED_TABLES } from '@/testing/personal-tables'
import { importLines, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { ADDRESS, makeCharge, makeEvent, makeIntent, NOON } from '@/testing/stripe'
import { makeInvoice, makeStripeCoupon, makeStripeCustomer, makeSubscription } from '@/testing/stripe-billing'
import { untilBlocking } from '@/testing/until-blocking'
import { writeAudit } from '../../accounts/audit'
import { lockWriters } from '../../accounts/erasure-lock'
import { lockUser } from '../../accounts/lock-user'
import { saveView } from '../../accounts/saved-views'
import { addUser } from '../../accounts/users'
import { type ResourceName, resources } from '../../catalog'
import { newObjectId } from '../../core/object-id'
import { eventData } from '../../events/event-data'
import { deriveCustomers } from '../derive-customers'
import { lockCodes } from '../edit/coupons'
import { editCustomer } from '../edit/customers'
import { type ImportName, importRecords, type Reject } from '../import/import'
import { eraseCustomer, eraseCustomerById, lockForErasure } from './erase-customer'
import { storeErasure } from './erased-people'
import { OTHER_PERSONAL_RESOURCES } from './personal-resources'
import { erasedEmail } from './redact'

beforeAll(openTestDatabase)

const run = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))

/** Returns `text in table` for each text that a table contains, in any letter case and also as part of JSON. */
async function findOccurrences(texts: string[]): Promise<string[]> {
  const tables = await run<{ name: string; columns: string }>(sql`
    select c.oid::regclass::text as name, string_agg(format('%I::text', a.attname), ', ') as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'pg_toast')
    group by c.oid`)
  const spellings = texts.flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1)
    return [...new Set([text, json, JSON.stringify(json).slice(1, -1)])].map((spelling) => ({ text, spelling }))
  })
  const found: string[] = []
  for (const { name, columns } of tables) {
    // `materialized` and `offset 0` make PostgreSQL fold each spelling and each row only once.
    const rows = await run<{ text: string }>(sql`
      with spellings as materialized (
        select text, desk_fold(spelling) as spelling from json_to_recordset(${JSON.stringify(spellings)}::json) as given (text text, spelling text)
      )
      select distinct spellings.text from (select desk_fold(concat_ws(' ', ${sql.raw(columns)})) as row from ${sql.raw(name)} offset 0) as folded
        join spellings on position(spellings.spelling in folded.row) > 0`)
    found.push(...rows.map(({ text }) => `${text} in ${name}`))
  }
  return found.sort()
}

function makePerson() {
  const mark = randomBytes(5).toString('hex')
  return {
    name: `Zoë "Z" O’Haddad ${mark}`,
    email: `Zoe.${mark}+x@Example.com`,
    billingEmail: `accounts.${mark}@example.com`,
    phone: `+31 6 ${mark}`,
    street: `Quay Street 12-${mark}`,
    taxId: `NL${mark}B01`,
  }
}
type Person = ReturnType<typeof makePerson>

const makeOrder = ({ name, email, billingEmail, phone, street }: Person): Line => ({
  customerEmail: email,
  billing: { name, email, billingEmail, phone, address: { line1: street, city: 'Rotterdam' } },
  shipping: { name, phone, address: { line1: street } },
  fields: [{ fieldId: 'f1', label: 'Name on the list', value: name }],
  queryParameters: { email },
})

/** Returns a record of a resource with all of the person's data that its fields can contain. */
function makeOther(resource: ResourceName, customerId: string, person: Person): Line {
  const members = Object.entries({ ...makeOrder(person), customerId, customerName: person.name })
  return minimal(resource, Object.fromEntries(members.filter(([field]) => field in resources[resource].record.shape)))
}

async function importWithEvents(resource: ImportName, seller: string, lines: Line[]): Promise<void> {
  const input = Readable.from([Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))])
  const onReject = ({ path, reason }: Reject) => expect.unreachable(`${path} ${reason}`)
  await importRecords({ resource, seller, input, events: true, onReject })
}

async function readTickets(seller: string): Promise<Line[]> {
  const rows = await run<{ record: string }>(sql`select record::text as record from tickets where seller_id = ${seller} order by id`)
  return rows.map(({ record }) => JSON.parse(record) as Line)
}

/** Stores the person's data in every table that can contain it. */
async function fill(seller: string, person: Person) {
  const { name, email, phone, street, taxId, billingEmail } = person
  const id = newObjectId()
  const customer = minimal('customers', {
    id,
    email,
    name,
    phone,
    billingEmail,
    taxId,
    taxIdType: 'eu_vat',
    gatewayCustomerId: `cus_${id}`,
  })
  const [payment, booking, byEmail] = [
    minimal('payments', {
      ...makeOrder(person),
      customerId: id,
      canceledReason: `${name} was ill`,
      amount: 1234,
      gatewayPaymentIntentId: `pi_${id}`,
    }),
    minimal('bookings', { ...makeOrder(person), customerId: id, orderId: `BK-${id}` }),
    minimal('subscriptions', { ...makeOrder(person), customerEmail: email.toUpperCase(), status: 'active' }),
  ]
  const code = `code-${id}`
  const ticket = minimal('tickets', { qrCode: code, chargeId: booking?.id, customerName: name, customerEmail: email })
  const guest = minimal('tickets', { chargeId: booking?.id, customerName: 'Another Guest', customerEmail: 'guest@example.com' })
  const others = Object.fromEntries(OTHER_PERSONAL_RESOURCES.map((resource) => [resource, [makeOther(resource, id, person)]]))
  const orders = { payments: [payment], bookings: [booking], subscriptions: [byEmail] }
  const files = { customers: [customer], tickets: [ticket, guest], ...orders, ...others }
  for (const [resource, lines] of Object.entries(files)) await importWithEvents(resource as 'payments', seller, lines as Line[])
  const note = { key: 'note', value: `Ask for ${name}` }
  await validate({ sellerId: seller, code, metadata: [note], checkIn: true, actorId: id, idempotencyKey: `key-${id}`, body: {} })
  await deliver(
    seller,
    makeEvent('customer.created', makeStripeCustomer({ id: `cus_${id}`, name, email, phone, address: { ...ADDRESS, line1: street } })),
    makeEvent('payment_intent.created', makeIntent({ id: `pi_${id}`, receipt_email: email })),
  )
  const userId = await addUser(seller, { email: `owner@${seller}.example`, password: 'correct horse battery', role: 'owner' })
  for (const text of [email, name])
    await saveView(
      { userId, sellerId: seller, email: 'owner@example.com' },
      { name: text.slice(0, 60), resource: 'payments', query: `search=${encodeURIComponent(text)}`, isShared: true },
    )
  await database().transaction(async (connection) => {
    await writeAudit(connection, {
      sellerId: seller,
      by: undefined,
      action: 'coupon.changed',
      subject: name,
      changes: { email: { before: email } },
    })
    await connection.rows(sql`
      insert into offline_scans (seller_id, id, ticket_id, actor_id, method, decision, claimed_at, corrected_at, note)
      values (${seller}, 'scan', ${ticket.id}, ${id}, 'QRSCAN', 'admitted', now(), now(), ${`spoke to ${name}`}),
        (${seller}, 'unknown', null, ${id}, 'QRSCAN', 'admitted', now(), now(), ${`${name} lost the ticket`})`)
    await connection.rows(sql`update check_ins set reason = ${`wrong person: ${name}`} where seller_id = ${seller}`)
    await connection.rows(sql`
      insert into record_notes (seller_id, id, resource, record_id, user_id, text)
      values (${seller}, 'note', 'payments', ${newObjectId()}, 'user', ${`A gift from ${name}`})`)
    await connection.rows(sql`
      insert into webhook_attempts (seller_id, endpoint_id, event_id, at, status, ms, response)
      values (${seller}, 'endpoint', 'evt', now(), 500, 1, ${`cannot store ${email}`})`)
  })
  return { id, files, code, ids: { payment: String(payment?.id), booking: String(booking?.id), guest: String(guest.id) } }
}

it('gives an erasure more time than other changes', async () => {
  const seller = await makeSeller()
  const [setting] = await database().transaction(async (connection) => {
    await lockForErasure(connection, seller, newObjectId())
    return connection.rows(sql`select current_setting('statement_timeout') as timeout`)
  })
  expect(setting).toEqual({ timeout: '2min' })
})

it('can erase a person with tens of thousands of tickets', async () => {
  const [seller, count] = [await makeSeller(), 20_000]
  await database().transaction((connection) =>
    storeErasure(
      connection,
      seller,
      newObjectId(),
      Array.from({ length: count }, () => ({ recordId: newObjectId() })),
    ),
  )
  expect(await run(sql`select count(*)::int as count from erasures where seller_id = ${seller}`)).toEqual([{ count }])
})

async function erase(seller: string, id: string) {
  const erased = await eraseCustomerById(seller, undefined, id)
  if (!erased) throw new Error('no such customer')
  return erased
}

it('leaves none of the person’s data in any table, and keeps amounts, dates and IDs', async () => {
  const seller = await makeAccount()
  const person = makePerson()
  const { id, ids } = await fill(seller, person)
  const texts = Object.values(person)
  const [original] = await readRecords(seller, 'payments')
  const before = await findOccurrences(texts)
  for (const table of ERASED_TABLES)
    expect(
      before.some((place) => place.endsWith(` in ${table}`)),
      `${table} contains the data before the erasure`,
    ).toBe(true)

  const { record } = await erase(seller, id)
  expect(await findOccurrences(texts)).toEqual([])
  expect(JSON.parse(record)).toMatchObject({ id, email: erasedEmail(id), name: 'Erased', gatewayCustomerId: `cus_${id}` })
  const [payment] = await readRecords(seller, 'payments')
  expect(payment).toMatchObject({
    id: ids.payment,
    customerId: id,
    amount: original?.amount,
    createdAt: original?.createdAt,
    updatedAt: original?.updatedAt,
    customerEmail: erasedEmail(id),
  })
  expect(payment?.billing).toEqual({ name: 'Erased', email: erasedEmail(id), billingEmail: erasedEmail(id) })
  const [guest] = await run<{ name: string }>(sql`select record ->> 'customerName' as name from tickets where id = ${ids.guest}`)
  expect(guest?.name).toBe('Another Guest')
  const [entry] = await run(
    sql`select action, subject, details::text as details from audit_log where seller_id = ${seller} order by id desc limit 1`,
  )
  expect(entry).toEqual({ action: 'customer.erased', subject: id, details: '{}' })
})

it('deletes saved views that search for the person in any letter case, but not views whose filters merely contain the name', async () => {
  const seller = await makeSeller()
  const customer = minimal('customers', { email: 'tom@example.com', name: 'Tom', companyName: 'MÜLLER & Söhne' })
  await importLines('customers', seller, [customer])
  const userId = await addUser(seller, { email: `views@${seller}.example`, password: 'correct horse battery', role: 'owner' })
  const kept = ['sort=customer', 'status=paid', 'search=tomato', 'search=Ada&sort=-customer']
  const deleted = [{ search: 'TOM' }, { search: 'müller & söhne' }, { search: 'tom@example.com' }]
  for (const [index, query] of [...kept, ...deleted.map((query) => String(new URLSearchParams(query)))].entries())
    await saveView(
      { userId, sellerId: seller, email: 'owner@example.com' },
      { name: `View ${index}`, resource: 'payments', query, isShared: true },
    )
  expect((await erase(seller, String(customer.id))).changed.saved_views).toBe(deleted.length)
  const left = await run<{ query: string }>(sql`select query from saved_views where seller_id = ${seller} order by name`)
  expect(left.map(({ query }) => query)).toEqual(kept)
})

it('waits for a view that is being saved, and deletes it if it searches for the person', async () => {
  const seller = await makeSeller()
  const customer = minimal('customers', { email: 'tom@example.com' })
  await importLines('customers', seller, [customer])
  const user = { userId: await addUser(seller, { email: `views@${seller}.example`, password: 'correct horse battery', role: 'owner' }) }
  const view = { name: 'Tom', resource: 'payments', query: 'search=tom@example.com', isShared: true }
  const open = database()
  // On a busy machine, the transaction that saves the view may have to wait longer than the usual lock timeout.
  const longTimeoutPool = openDatabase({ url: String(process.env.TEST_DATABASE_URL), lockMs: 60_000 })
  setDatabase(longTimeoutPool)
  try {
    const { saved, erased } = await open.transaction(async (connection) => {
      await lockUser(connection, user.userId)
      const saving = saveView({ ...user, sellerId: seller, email: 'owner@example.com' }, view)
      await untilBlocking(connection)
      const erasing = erase(seller, String(customer.id))
      const [own] = await connection.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      const waiting = sql`
        select from pg_stat_activity as erasure, unnest(pg_blocking_pids(erasure.pid)) as saver (pid)
        where ${own?.pid}::int = any(pg_blocking_pids(saver.pid))`
      await Promise.race([
        erasing,
        expect.poll(async () => (await run(waiting)).length, { message: 'the erasure waits' }).toBeGreaterThan(0),
      ])
      return { saved: saving, erased: erasing }
    })
    expect(await saved).toBe(true)
    expect((await erased).changed.saved_views).toBe(1)
  } finally {
    setDatabase(open)
    await longTimeoutPool.close()
  }
  expect(await run(sql`select from saved_views where seller_id = ${seller}`)).toEqual([])
})

it('makes saving a view fail at once while a customer is being erased, because waiting would take connections from other sellers', async () => {
  const seller = await makeSeller()
  const userId = await addUser(seller, { email: `views@${seller}.example`, password: 'correct horse battery', role: 'owner' })
  const view = { name: 'All', resource: 'payments', query: '', isShared: false }
  await database().transaction(async (connection) => {
    await lockWriters(connection, seller)
    await expect(saveView({ userId, sellerId: seller, email: 'owner@example.com' }, view)).rejects.toMatchObject({
      code: 'erasure_running',
    })
  })
})

it('keeps a namesake’s data and another seller’s data', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const person = makePerson()
  const customer = minimal('customers', { email: person.email, name: person.name })
  const namesake = minimal('payments', { ...makeOrder({ ...person, email: 'other@example.com', billingEmail: 'other@example.com' }) })
  for (const sellerId of [seller, other]) {
    await importLines('customers', sellerId, [customer])
    await importLines('payments', sellerId, [minimal('payments', makeOrder(person)), namesake])
  }
  const theirs = await readRecords(other, 'payments')
  await erase(seller, String(customer.id))
  expect(await readRecords(other, 'payments')).toEqual(theirs)
  expect((await readRecords(other, 'customers'))[0]).toMatchObject({ name: person.name })
  const kept = (await readRecords(seller, 'payments')).find(({ id }) => id === namesake.id)
  expect(kept).toMatchObject({ customerEmail: 'other@example.com', billing: { name: person.name } })
})

it('erases the person’s other customer records, and orders with the email address only in the billing details', async () => {
  const seller = await makeSeller()
  const { name, email, phone } = makePerson()
  const [customer, twin] = [minimal('customers', { email, name }), minimal('customers', { email: email.toUpperCase(), name, phone })]
  const order = minimal('payments', { customerId: twin.id, customerEmail: `work.${email}`, billing: { name } })
  await importLines('customers', seller, [customer, twin])
  await importLines('payments', seller, [order, minimal('payments', { billing: { email, name, phone } })])
  await erase(seller, String(customer.id))
  expect(await findOccurrences([name, email, phone, `work.${email}`])).toEqual([])
})

it('erases the person from kept Stripe events about earlier invoices of their subscription', async () => {
  const seller = await makeAccount()
  const { email, name, billingEmail: former, street } = makePerson()
  const details = { customer_email: former, customer_name: name, customer_address: { ...ADDRESS, line1: street } }
  await deliver(
    seller,
    makeEvent('customer.subscription.created', makeSubscription()),
    makeEvent('invoice.paid', makeInvoice({ ...details, status: 'paid' })),
    makeEvent('invoice.paid', makeInvoice({ id: 'in_2', created: NOON + 9, customer_email: email, status: 'paid' }), NOON + 9),
  )
  const customer = minimal('customers', { email, name })
  await importLines('customers', seller, [customer])
  await erase(seller, String(customer.id))
  expect(await findOccurrences([former, street, email, name])).toEqual([])
})

it('keeps the stored payloads, events and responses about a namesake', async () => {
  const seller = await makeAccount()
  const name = `Acme ${randomBytes(5).toString('hex')}`
  const customer = minimal('customers', { email: `a.${name.slice(5)}@example.com`, name })
  const other = minimal('customers', { email: `b.${name.slice(5)}@example.com`, name })
  await importWithEvents('customers', seller, [customer, other])
  const invoiceCustomer = { customer: 'cus_b', customer_name: name, customer_email: String(other.email) }
  await deliver(
    seller,
    makeEvent('customer.subscription.created', makeSubscription({ customer: 'cus_b' })),
    makeEvent('invoice.paid', makeInvoice({ ...invoiceCustomer, status: 'paid' }), NOON + 6),
  )
  await run(sql`insert into idempotency_keys (seller_id, key, fingerprint, status, response, created_at)
    values (${seller}, 'theirs', '', 200, ${JSON.stringify({ data: other })}, now())`)
  const copies = () =>
    run(sql`
      select payload::text as text from stripe_events where seller_id = ${seller}
      union all select ${eventData('events')}::text from events where seller_id = ${seller} and record_id <> ${String(customer.id)}
      union all select response from idempotency_keys where seller_id = ${seller} order by 1`)
  const before = await copies()
  await erase(seller, String(customer.id))
  expect(await copies()).toEqual(before)
  await deliver(
    seller,
    makeEvent(
      'customer.subscription.deleted',
      makeSubscription({ customer: 'cus_b', status: 'canceled', canceled_at: NOON + 99 }),
      NOON + 99,
    ),
  )
  expect((await readRecords(seller, 'subscriptions'))[0]).toMatchObject({ status: 'canceled', billing: { name } })
})

it('erases the person from an event without data of its own, if its order mentions them', async () => {
  const seller = await makeSeller()
  const customer = minimal('customers', { email: `mentioned.${randomBytes(5).toString('hex')}@example.com` })
  await importLines('customers', seller, [customer])
  await importWithEvents('payments', seller, [minimal('payments', { queryParameters: { referrer: customer.email } })])
  const read = () =>
    run(sql`select ${eventData('events')}::text as text from events where seller_id = ${seller} and type = 'payment.created'`)
  expect(JSON.stringify(await read())).toContain(String(customer.email))
  await erase(seller, String(customer.id))
  expect(await read()).toHaveLength(1)
  expect(JSON.stringify(await read())).not.toContain(String(customer.email))
})

it('uses the database’s clock, and never moves a customer’s updatedAt back', async () => {
  const seller = await makeSeller()
  const { email } = makePerson()
  const [customer, twin] = [minimal('customers', { email }), minimal('customers', { email, updatedAt: '2999-01-01T00:00:00.000Z' })]
  await importLines('customers', seller, [customer, twin])
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2001-01-01T00:00:00.000Z') })
  await erase(seller, String(customer.id)).finally(() => vi.useRealTimers())
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
  const updates = await run<{ id: string; updatedAt: string }>(
    sql`select id, record ->> 'updatedAt' as "updatedAt" from customers where seller_id = ${seller}`,
  )
  const updatedAt = (line: Line) => String(updates.find(({ id }) => id === line.id)?.updatedAt)
  expect([updatedAt(customer) > hourAgo, updatedAt(twin)]).toEqual([true, twin.updatedAt])
  expect(await run(sql`select distinct at > ${hourAgo}::timestamptz as "isNow" from erasures where seller_id = ${seller}`)).toEqual([
    { isNow: true },
  ])
})

it('erases earlier values and other spellings of the name in stored responses', async () => {
  const seller = await makeSeller()
  const person = makePerson()
  const [old, spelling] = [`Old ${person.taxId}`, `Z. ${person.taxId}`]
  const customer = minimal('customers', { email: person.email, name: person.name })
  const booking = minimal('bookings', { ...makeOrder(person), customerId: customer.id })
  const ticket = minimal('tickets', { chargeId: booking.id, customerName: spelling, customerEmail: person.email })
  await importLines('customers', seller, [customer])
  await importLines('bookings', seller, [booking])
  await importLines('tickets', seller, [ticket])
  const code = String(ticket.qrCode)
  await validate({ sellerId: seller, code, metadata: [], checkIn: true, actorId: newObjectId(), idempotencyKey: 'scan', body: {} })
  await run(sql`insert into idempotency_keys (seller_id, key, fingerprint, status, response, created_at)
    values (${seller}, 'edit', '', 200, ${JSON.stringify({ data: { ...customer, email: 'old@example.com', name: old } })}, now())`)
  await run(sql`update check_ins set reason = ${`wrong: ${spelling}`} where seller_id = ${seller}`)
  await erase(seller, String(customer.id))
  expect(await findOccurrences([old, spelling])).toEqual([])
})

it('erases the person’s earlier data from notes, webhook responses and other texts', async () => {
  const seller = await makeSeller()
  const [old, person] = [makePerson(), makePerson()]
  const customer = minimal('customers', { email: old.email, name: old.name, phone: old.phone })
  const booking = minimal('bookings', { customerId: customer.id })
  const ticket = minimal('tickets', { chargeId: booking.id, customerName: old.name, customerEmail: old.email })
  const payment = minimal('payments', { customerId: customer.id, billing: { name: person.name, address: { line1: old.street } } })
  await importWithEvents('customers', seller, [customer])
  await importWithEvents('payments', seller, [payment])
  await importLines('bookings', seller, [booking])
  await importLines('tickets', seller, [ticket])
  const changes = { name: person.name, email: person.email, phone: null }
  expect(await editCustomer(seller, undefined, String(customer.id), () => true, changes)).toBe('saved')
  await importWithEvents('payments', seller, [{ ...payment, billing: { name: person.name } }])
  await importWithEvents('coupons', seller, [minimal('coupons')])

  const code = String(ticket.qrCode)
  const note = { key: 'note', value: `Ask for ${old.name}` }
  await validate({ sellerId: seller, code, metadata: [note], checkIn: true, actorId: newObjectId(), idempotencyKey: 'scan', body: {} })
  await run(sql`update check_ins set reason = ${`wrong: ${old.name}`} where seller_id = ${seller}`)
  await run(sql`
    insert into record_notes (seller_id, id, resource, record_id, user_id, text)
    values (${seller}, 'note', 'customers', ${customer.id}, 'user', ${`${old.name} (${old.email}, ${old.phone}), ${old.street}`})`)
  const respond = (event: ReturnType<typeof sql>, response: string) =>
    run(sql`insert into webhook_attempts (seller_id, endpoint_id, event_id, at, status, ms, response)
      select ${seller}, 'endpoint', id, now(), 200, 1, ${response} from (${event}) as event`)
  await respond(
    sql`select id from events where seller_id = ${seller} and type = 'customer.created'`,
    JSON.stringify(customer).replace(/.$/, ''),
  )
  await respond(sql`select id from events where seller_id = ${seller} and type = 'coupon.created'`, `ok, ${old.name}`)
  await respond(sql`select 'evt_deleted' as id`, `truncated: ${old.name.slice(0, -1)}`)

  await erase(seller, String(customer.id))
  expect(await findOccurrences([...Object.values(old), ...Object.values(person), old.name.slice(0, -1)])).toEqual([])
  const [stored] = await readTickets(seller)
  expect(stored).toMatchObject({ customerName: 'Erased', customerEmail: erasedEmail(String(customer.id)) })
  const responses = await run<{ response: string | null }>(
    sql`select response from webhook_attempts where seller_id = ${seller} order by response`,
  )
  expect(responses.map(({ response }) => response)).toEqual(['ok, Erased', null, null])
})

it('keeps the data of a guest or customer who now has an email address or a ticket that used to be the person’s', async () => {
  const seller = await makeSeller()
  const [person, guest] = [makePerson(), makePerson()]
  const customer = minimal('customers', { email: guest.email, name: person.name })
  const other = minimal('customers', { email: guest.email, name: guest.name })
  const booking = minimal('bookings', { customerId: customer.id, customerEmail: person.email })
  const makeTicket = (customerName: string) => minimal('tickets', { chargeId: booking.id, customerName, customerEmail: person.email })
  const [theirs, exchanged] = [makeTicket(guest.name), makeTicket(guest.name)]
  await importLines('bookings', seller, [booking])
  await importWithEvents('customers', seller, [customer])
  await importWithEvents('tickets', seller, [theirs, exchanged])
  const changes = { email: person.email }
  expect(await editCustomer(seller, undefined, String(customer.id), () => true, changes)).toBe('saved')
  await importWithEvents('customers', seller, [other])
  await importWithEvents('tickets', seller, [
    { ...theirs, customerName: person.name },
    { ...exchanged, customerEmail: `ann.${guest.email}` },
  ])
  await erase(seller, String(customer.id))
  expect((await readRecords(seller, 'customers')).find(({ id }) => id === other.id)).toMatchObject({ email: guest.email, name: guest.name })
  const [event] = await run<{ data: string }>(
    sql`select ${eventData('events')}::text as data from events where seller_id = ${seller} and record_id = ${String(other.id)}`,
  )
  expect(JSON.parse(String(event?.data))).toMatchObject({ email: guest.email, name: guest.name })
  const names = (await readTickets(seller)).map(({ id, customerName }) => [id, customerName])
  expect(Object.fromEntries(names)).toEqual({ [String(theirs.id)]: 'Erased', [String(exchanged.id)]: guest.name })
})

it('keeps the data of other guests, even if their email address ends with the person’s', async () => {
  const seller = await makeSeller()
  const person = makePerson()
  const customer = minimal('customers', { email: person.email, name: person.name })
  const booking = minimal('bookings', { ...makeOrder(person), customerId: customer.id })
  const guests = [{ customerName: 'Guest 7' }, { customerName: 'Guest 8', customerEmail: `ann.${person.email}` }]
  await importLines('customers', seller, [customer])
  await importLines('bookings', seller, [booking])
  await importLines(
    'tickets',
    seller,
    guests.map((guest) => minimal('tickets', { chargeId: booking.id, ...guest })),
  )
  await erase(seller, String(customer.id))
  const kept = await run<{ record: string }>(
    sql`select record::text as record from tickets where seller_id = ${seller} order by record ->> 'customerName'`,
  )
  expect(kept.map(({ record }) => JSON.parse(record))).toMatchObject(guests)
})

it('keeps the tickets of namesakes if both they and the person have an empty email address', async () => {
  const seller = await makeSeller()
  const { name } = makePerson()
  const customer = minimal('customers', { email: '', name })
  const namesake = { customerName: name, customerEmail: '' }
  await importLines('customers', seller, [customer])
  await importLines('tickets', seller, [minimal('tickets', namesake)])
  await erase(seller, String(customer.id))
  const [kept] = await run<{ record: string }>(sql`select record::text as record from tickets where seller_id = ${seller}`)
  expect(JSON.parse(String(kept?.record))).toMatchObject(namesake)
})

it('erases the names that Stripe received from a wallet or a bank', async () => {
  const seller = await makeAccount()
  const person = makePerson()
  const id = newObjectId()
  await importLines('customers', seller, [minimal('customers', { id, email: person.email, gatewayCustomerId: `cus_${id}` })])
  const names = { payer_email: person.billingEmail, payer_name: person.name, verified_name: person.taxId }
  const charge = makeCharge({ id: `ch_${id}`, customer: `cus_${id}` })
  await deliver(seller, makeEvent('charge.succeeded', { ...charge, payment_method_details: { type: 'paypal', paypal: names } }))
  await erase(seller, id)
  expect(await findOccurrences(Object.values(names))).toEqual([])
})

it('importing a ticket without an email address, or receiving a payment with the order’s email address, does not restore erased data', async () => {
  const seller = await makeAccount()
  const person = makePerson()
  const customer = minimal('customers', { email: person.email, name: person.name })
  const work = `work.${person.email}`
  const booking = minimal('bookings', { customerId: customer.id, customerEmail: work, billing: { name: person.name } })
  const ticket = minimal('tickets', { chargeId: booking.id, customerName: person.name })
  await importLines('customers', seller, [customer])
  await importLines('bookings', seller, [booking])
  await importLines('tickets', seller, [ticket])
  await erase(seller, String(customer.id))
  await importLines('tickets', seller, [ticket])
  const details = { name: person.name, email: work, phone: null, address: null, tax_id: null }
  await deliver(seller, makeEvent('charge.succeeded', makeCharge({ id: `ch_${ticket.id}`, customer: null, billing_details: details })))
  expect(await findOccurrences([person.name, person.email, work])).toEqual([])
})

it('importing new tickets of an erased person’s booking does not restore erased data, but keeps the names of other guests', async () => {
  const seller = await makeSeller()
  const person = makePerson()
  const { name: customerName, email: customerEmail } = person
  const customer = minimal('customers', { email: customerEmail, name: customerName })
  const orderId = `BK-${String(customer.id)}`
  const booking = minimal('bookings', { ...makeOrder(person), customerId: customer.id, orderId })
  const guest = minimal('tickets', { chargeId: booking.id, customerName: 'Guest 7' })
  await importLines('customers', seller, [customer])
  await importLines('bookings', seller, [booking])
  await importLines('tickets', seller, [guest])
  await erase(seller, String(customer.id))
  const metadata = [{ key: 'holder', value: `Holder: ${customerName}`, addedAt: '2026-03-01T12:00:00.000Z' }]
  const tickets = [
    minimal('tickets', { chargeId: booking.id, customerName, metadata }),
    minimal('tickets', { chargeId: booking.id, customerName, customerEmail, metadata }),
    minimal('tickets', { orderId, customerName }),
    minimal('tickets', { chargeId: booking.id, customerName: 'Guest 8', customerEmail: 'guest@example.com' }),
  ]
  // The second import finds the redacted tickets of the first.
  for (let round = 0; round < 2; round += 1) await importLines('tickets', seller, [guest, ...tickets])
  expect(await findOccurrences(Object.values(person))).toEqual([])
  const names = await run<{ name: string }>(
    sql`select record ->> 'customerName' as name from tickets where seller_id = ${seller} order by 1`,
  )
  expect(names.map(({ name }) => name)).toEqual(['Erased', 'Erased', 'Erased', 'Guest 7', 'Guest 8'])
})

it('deriving customers from orders waits for a running erasure, and restores no erased data', async () => {
  const seller = await makeSeller()
  const person = makePerson()
  const customer = minimal('customers', { email: person.email, name: person.name })
  await importLines('customers', seller, [customer])
  await importLines('payments', seller, [minimal('payments', { ...makeOrder(person), customerId: newObjectId() })])
  await run(sql`delete from customers where seller_id = ${seller} and id <> ${String(customer.id)}`)
  const derived = await database().transaction(async (connection) => {
    const current = await lockForErasure(connection, seller, String(customer.id))
    const deriving = deriveCustomers(seller)
    await untilBlocking(connection)
    await eraseCustomer(connection, seller, undefined, String(current))
    return { deriving }
  })
  await derived.deriving
  expect(await findOccurrences(Object.values(person))).toEqual([])
})

it('an import of coupons locks the code before the row, like a change to a coupon', async () => {
  const seller = await makeAccount()
  await deliver(seller, makeEvent('coupon.created', makeStripeCoupon()))
  const [coupon] = await readRecords(seller, 'coupons')
  const { sellerId: _, ...line } = coupon as Line
  const { importing } = await database().transaction(async (connection) => {
    await lockCodes(connection, seller, ['SUMMER'])
    const importing = importLines('coupons', seller, [{ ...line, label: 'Changed' }])
    await untilBlocking(connection)
    await connection.rows(sql`select 1 from coupons where seller_id = ${seller} for update nowait`)
    return { importing }
  })
  expect(await importing).toMatchObject({ rejected: 0 })
})

it('importing or receiving the person’s old records again does not restore erased data, but a later order is stored unchanged', async () => {
  const seller = await makeAccount()
  const person = makePerson()
  const { id, files } = await fill(seller, person)
  await erase(seller, id)
  for (const [resource, lines] of Object.entries(files)) await importLines(resource as 'payments', seller, lines as Line[])
  await importLines('payments', seller, [minimal('payments', makeOrder(person))])
  const charge = makeCharge({
    id: `ch_${id}`,
    payment_intent: `pi_${id}`,
    customer: `cus_${id}`,
    billing_details: { name: person.name, email: person.email, phone: person.phone, address: null, tax_id: null },
  })
  const updated = makeEvent('customer.updated', makeStripeCustomer({ id: `cus_${id}`, name: person.name }))
  const renamed = makeEvent('customer.updated', makeStripeCustomer({ id: `cus_${id}`, name: 'Another name' }), NOON + 9)
  const data = { ...renamed.data, previous_attributes: { name: person.name } }
  await deliver(seller, makeEvent('charge.succeeded', charge), updated, { ...renamed, data })
  expect(await findOccurrences(Object.values(person))).toEqual([])

  const order = minimal('payments', { ...makeOrder(person), customerId: id, createdAt: new Date(Date.now() + 60_000).toISOString() })
  await importLines('payments', seller, [order])
  const stored = (await readRecords(seller, 'payments')).find((payment) => payment.id === order.id)
  expect(stored).toMatchObject({ customerEmail: person.email, billing: { name: person.name } })
  expect((await readRecords(seller, 'customers')).map(({ email }) => email)).toEqual([erasedEmail(id)])
  await erase(seller, id)
  expect(await findOccurrences(Object.values(person))).toEqual([])
})

it('waits for a running import, and erases its orders too', async () => {
  const seller = await makeSeller()
  const person = makePerson()
  const customer = minimal('customers', { email: person.email, name: person.name })
  await importLines('customers', seller, [customer])
  // Each import uses two of the pool's eight connections, so that neither the erasure nor an import waits too long for one.
  const imports = Array.from({ length: 3 }, () =>
    importLines(
      'payments',
      seller,
      Array.from({ length: 50 }, () => minimal('payments', makeOrder(person))),
    ),
  )
  const [{ record }] = await Promise.all([erase(seller, String(customer.id)), ...imports])
  expect(JSON.parse(record).name).toBe('Erased')
  expect(await findOccurrences(Object.values(person))).toEqual([])
})

it('an edit changes a customer only if it has not changed in the meantime, and writes no personal data to the audit log', async () => {
  const seller = await makeSeller()
  const person = makePerson()
  const customer = minimal('customers', { email: 'old@example.com' })
  await importLines('customers', seller, [customer])
  const edit = (isUnchanged: boolean) => editCustomer(seller, undefined, String(customer.id), () => isUnchanged, { name: person.name })
  expect(await edit(false)).toBe('changed')
  expect(await edit(true)).toBe('saved')
  // The customer's search text, which is in a separate table, contains the name too.
  const found = (await findOccurrences([person.name])).filter((place) => !/ in customers_texts_\d+$/.test(place))
  expect(found).toEqual([`${person.name} in customers`, `${person.name} in events`])
})
