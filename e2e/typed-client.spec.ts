/** Tests that a client generated from the OpenAPI document compiles and can call a running server. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { minimal } from '@/testing/seller'
import { expect, test } from './support/api'

const run = promisify(execFile)

/** A program that a user of the API might write. Each `@ts-expect-error` marks a mistake that the types must catch. */
const PROGRAM = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api'

const client = createClient<paths>({
  baseUrl: process.env.DESK_URL ?? '',
  headers: { Authorization: \`Bearer \${process.env.DESK_KEY}\` },
})

const seen: string[] = []
let after: string | undefined
do {
  const { data, error } = await client.GET('/v1/payments', { params: { query: { limit: 7, status: 'paid', 'created[gte]': '2020-01-01', 'created[lt]': 4102444800, ...(after ? { starting_after: after } : {}) } } })
  if (error) throw new Error(error.message)
  const payments: components['schemas']['Payment'][] = data.data
  for (const { id, amount, billing } of payments) {
    const sum: number = amount
    const city: string | undefined = billing?.address?.city
    seen.push([id, sum, city ?? ''].join(' '))
  }
  after = data.has_more ? payments.at(-1)?.id : undefined
} while (after)

const { data: single } = await client.GET('/v1/payments/{id}', { params: { path: { id: seen[0]?.split(' ')[0] ?? '' } } })
const same: boolean = single?.data.amount === Number(seen[0]?.split(' ')[1])

const { data: validated } = await client.POST('/v1/tickets/validate/{qrCode}', {
  params: { path: { qrCode: 'a/b ü' }, header: { 'Idempotency-Key': 'one' } },
  body: { metadata: [{ key: 'gate', value: '2' }] },
})
const reason: 'already_checked_in' | 'canceled' | undefined = validated?.reason

const { data: made, response } = await client.POST('/v1/coupons', {
  params: { header: { 'Idempotency-Key': 'two' } },
  body: { label: 'Summer', code: 'SUMMER', duration: 'once', percentOff: 15 },
})
const id = made?.data.id ?? ''
const { data: changed } = await client.PATCH('/v1/coupons/{id}', {
  params: { path: { id }, header: { 'If-Match': response.headers.get('etag') ?? '' } },
  body: { label: 'Winter', maxRedemptions: null },
})

const { data: tickets } = await client.GET('/v1/tickets', { params: { query: { checkInStatus: 'CHECKEDIN', limit: 1 } } })
const ticket = tickets?.data[0]
const { data: renamed } = await client.PATCH('/v1/tickets/{id}', {
  params: { path: { id: ticket?.id ?? '' } },
  body: { customerName: 'Zoë', metadata: [{ key: 'gate', value: null }] },
})
const { data: sold } = await client.GET('/v1/tickets/{id}', { params: { path: { id: ticket?.id ?? '' } } })
const { data: pages } = await client.GET('/v1/pages')
const { data: page } = await client.GET('/v1/pages/{id}', { params: { path: { id: pages?.data[0]?.id ?? '' } } })
const policy: 'single' | 'reentry' | 'multiple' | undefined = page?.data.entryPolicy

const { data: coupon } = await client.GET('/v1/coupons/{id}', { params: { path: { id } } })
const percent: number | undefined = coupon?.data.percentOff
const { data: allCoupons } = await client.GET('/v1/coupons', { params: { query: { search: 'summer' } } })

const { data: bookings } = await client.GET('/v1/bookings', { params: { query: { status: 'paid' } } })
const { data: booking } = await client.GET('/v1/bookings/{id}', { params: { path: { id: bookings?.data[0]?.id ?? '' } } })
const { data: subscriptions } = await client.GET('/v1/subscriptions', { params: { query: { status: 'active' } } })
const { data: subscription } = await client.GET('/v1/subscriptions/{id}', { params: { path: { id: subscriptions?.data[0]?.id ?? '' } } })

const { data: customers } = await client.GET('/v1/customers', { params: { query: { search: 'ada@' } } })
const customerId = customers?.data[0]?.id ?? ''
const { data: customer } = await client.GET('/v1/customers/{id}', { params: { path: { id: customerId } } })
await client.PATCH('/v1/customers/{id}', { params: { path: { id: customerId } }, body: { name: 'Ada King', address: { city: 'London' } } })
const { data: erased } = await client.POST('/v1/customers/{id}/erase', { params: { path: { id: customerId } } })

const { data: endpoint } = await client.POST('/v1/webhook_endpoints', {
  body: { url: 'https://shop.example.com/hook', events: ['coupon.updated'] },
})
const path = { id: endpoint?.data.id ?? '' }
const secret: string | undefined = endpoint?.data.secret
const { data: endpoints } = await client.GET('/v1/webhook_endpoints')
await client.GET('/v1/webhook_endpoints/{id}', { params: { path } })
const { data: described } = await client.PATCH('/v1/webhook_endpoints/{id}', { params: { path }, body: { description: 'Accounting', enabled: true } })
const { data: rotated } = await client.POST('/v1/webhook_endpoints/{id}/rotate', { params: { path } })
const { data: tested } = await client.POST('/v1/webhook_endpoints/{id}/test', { params: { path } })
const { data: deliveries } = await client.GET('/v1/webhook_endpoints/{id}/deliveries', { params: { path, query: { status: 'pending' } } })
const delivered: 'pending' | 'succeeded' | 'failed' | undefined = deliveries?.data[0]?.status

const { data: events } = await client.GET('/v1/events', { params: { query: { type: 'coupon.created', limit: 1 } } })
const eventId = events?.data[0]?.id ?? ''
const { data: event } = await client.GET('/v1/events/{id}', { params: { path: { id: eventId } } })
const type: string | undefined = event?.data.type
const { response: resent } = await client.POST('/v1/webhook_endpoints/{id}/resend', { params: { path }, body: { eventId } })
const { response: deleted } = await client.DELETE('/v1/webhook_endpoints/{id}', { params: { path } })

const { error: unknown } = await client.POST('/v1/tickets/validate/{qrCode}', { params: { path: { qrCode: 'nobody' } } })
const code: 'ticket_not_found' | string = unknown?.code ?? ''

export async function mistakes() {
  // @ts-expect-error there is no such status
  await client.GET('/v1/payments', { params: { query: { status: 'payed' } } })
  // @ts-expect-error a date filter needs an operator, such as created[gte]
  await client.GET('/v1/payments', { params: { query: { created: '2026-01-01' } } })
  // @ts-expect-error coupons have no status
  await client.GET('/v1/coupons', { params: { query: { status: 'paid' } } })
  // @ts-expect-error the code is missing
  await client.POST('/v1/tickets/validate/{qrCode}', {})
  // @ts-expect-error a label is text
  await client.PATCH('/v1/coupons/{id}', { params: { path: { id } }, body: { label: 5 } })
  // @ts-expect-error there is no such path
  await client.GET('/v1/orders')
  const { data } = await client.GET('/v1/bookings')
  // @ts-expect-error a booking has no such member
  return data?.data[0]?.surprise
}

console.log(JSON.stringify({ seen, same, success: validated?.success, checkIn: validated?.ticket.checkInStatus, reason, code, label: changed?.data.label, guest: [sold?.data.customerName, sold?.data.qrCode, renamed?.data.metadata.length], policy, percent, found: [allCoupons, bookings, subscriptions, customers, endpoints].map((list) => list?.total), single: [booking?.data.orderId, subscription?.data.orderId, customer?.data.name, erased?.data.name], webhook: [secret === rotated?.data.secret, described?.data.description, type, tested?.data.status, resent.ok, deleted.ok] }))
`

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: ['node'],
  },
  include: ['*.ts'],
}

test('the program calls every API operation except the OpenAPI document and those for monitoring', async ({ api }) => {
  const { json } = await api.call('/v1/openapi.json')
  const operations = Object.entries(json.paths as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `client.${method.toUpperCase()}('${path}'`),
  )
  // Clients do not need the OpenAPI document or the operations for monitoring.
  const isForClients = (call: string) => call.includes("'/v1/") && !call.includes('openapi.json')
  expect(operations.filter((call) => isForClients(call) && !PROGRAM.includes(call))).toEqual([])
})

test('a program that uses the generated client passes the type check and returns the expected records', async ({ api }) => {
  const lines = Array.from({ length: 20 }, (_, i) =>
    minimal('payments', {
      amount: i,
      createdAt: new Date(Date.UTC(2026, 2, 1) + i * 1000).toISOString(),
      billing: { address: { city: `City ${i}` } },
    }),
  )
  await api.load('payments', [...lines, minimal('payments', { status: 'failed' })])
  await api.load('tickets', [minimal('tickets', { qrCode: 'a/b ü' })])
  await api.load('pages', [minimal('pages', { entryPolicy: 'reentry' })])
  await api.load('bookings', [minimal('bookings', { orderId: 'BK-1' })])
  await api.load('subscriptions', [minimal('subscriptions', { orderId: 'SU-1', status: 'active' })])
  await api.load('customers', [minimal('customers', { email: 'ada@example.com', name: 'Ada Lovelace' })])

  const folder = await mkdtemp(join(tmpdir(), 'desk-client-'))
  try {
    await symlink(resolve('node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    await writeFile(join(folder, 'program.ts'), PROGRAM)
    const generator = 'e2e/typed-client/node_modules/openapi-typescript/bin/cli.js'
    await run(process.execPath, [generator, `${api.url}/v1/openapi.json`, '-o', join(folder, 'api.ts')])
    await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder]).catch(({ stdout }) => expect(stdout).toBe(''))
    const { stdout } = await run(
      process.execPath,
      ['--import', resolve('node_modules/tsx/dist/esm/index.mjs'), join(folder, 'program.ts')],
      {
        env: { ...process.env, DESK_URL: api.url, DESK_KEY: api.key },
      },
    )
    expect(JSON.parse(stdout)).toEqual({
      seen: lines.map(({ id, amount }) => `${id} ${amount} City ${amount}`).reverse(),
      same: true,
      success: true,
      checkIn: 'CHECKEDIN',
      code: 'ticket_not_found',
      label: 'Winter',
      guest: ['Zoë', 'a/b ü', 0],
      policy: 'reentry',
      percent: 15,
      found: [1, 1, 1, 1, 1],
      single: ['BK-1', 'SU-1', 'Ada Lovelace', 'Erased'],
      webhook: [false, 'Accounting', 'coupon.created', 'pending', true, true],
    })
  } finally {
    await rm(folder, { recursive: true })
  }
})
