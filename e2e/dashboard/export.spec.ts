/** Tests exporting a list as a CSV file with the same values as the API's records, and as a curl command that requests them. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { sql } from 'drizzle-orm'
import { database, openDatabase, setDatabase } from '@/db/client'
import { addUser } from '@/lib/accounts/users'
import { type ResourceName, resources } from '@/lib/catalog'
import { createDatabase } from '@/testing/postgres'
import { type Line, makeSeller, minimal, readFixture } from '@/testing/seller'
import { startCuttingProxy } from '../faults/cutting-proxy'
import { asRow, readCsv } from '../support/csv'
import { expect, newAddress, PASSWORD, type Page, type Shop, signIn, startSession, test } from '../support/dashboard'
import { serve, stop } from '../support/processes'

const NAMES = Object.keys(resources) as ResourceName[]

/** Returns every record of a list from the API. */
async function listAll(shop: Shop, path: string): Promise<Line[]> {
  const records: Line[] = []
  for (let cursor = ''; ; ) {
    const { json } = await shop.call(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`)
    records.push(...json.data)
    if (!json.has_more) return records
    cursor = `&starting_after=${json.data.at(-1)?.id}`
  }
}

const withoutSecret = ({ gatewayPaymentIntentClientSecret: _, ...record }: Line) => record

for (const name of NAMES) {
  test(`the export of ${name} equals the API’s records, member by member, without secrets`, async ({ signedIn: page, shop, baseUrl }) => {
    await shop.load(name, readFixture(name))
    const response = await page.request.get(`${baseUrl}/${name}/export`)
    expect(response.status()).toBe(200)
    expect(response.headers()['content-type']).toBe('text/csv; charset=utf-8; header=present')
    const text = await response.text()
    expect(text).not.toContain('CANARY')
    const rows = readCsv(text)
    const records = (await listAll(shop, `/v1/${name}`)).map(withoutSecret)
    expect(rows.map(({ id }) => id)).toEqual(records.map(({ id }) => id))
    const columns = Object.keys(rows[0] ?? {})
    expect(columns).not.toContain('gatewayPaymentIntentClientSecret')
    for (const [index, record] of records.entries()) {
      const actual = Object.fromEntries(Object.entries(rows[index] ?? {}).filter(([, value]) => value !== ''))
      const expected = Object.fromEntries(Object.entries(asRow(record, columns)).filter(([, value]) => value !== ''))
      expect(actual).toEqual(expected)
    }
  })
}

test('the export link shows the number of filtered records and exports them, to a file with the date in its name', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const concert = minimal('pages', { name: 'Concert' })
  await shop.load('pages', [concert])
  const specialText = 'O\'Neil "& 100%'
  await shop.load('payments', [
    ...Array.from({ length: 25 }, () => minimal('payments', { orderId: specialText, status: 'failed', pageId: concert.id })),
    minimal('payments', { orderId: specialText, status: 'failed' }),
    minimal('payments', { orderId: specialText, pageId: concert.id }),
    minimal('payments', { status: 'failed', pageId: concert.id }),
  ])
  const query = new URLSearchParams({ search: specialText, status: 'failed', pageId: String(concert.id) })
  await page.goto(`${baseUrl}/payments?${query}&limit=20`)
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByText('21–25 of 25')).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByText('Export (25)').click()
  await page.getByRole('link', { name: 'All fields' }).click()
  const file = await download
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Amsterdam' }).format(new Date())
  expect(file.suggestedFilename()).toBe(`payments-${day}.csv`)
  const rows = readCsv(await readFile(String(await file.path()), 'utf8'))
  expect(rows.map(({ id }) => id)).toEqual((await listAll(shop, `/v1/payments?${query}`)).map(({ id }) => id))
  expect(rows).toHaveLength(25)
})

test('only owners and staff can export, and only with GET or HEAD and valid parameters', async ({ browser, shop, baseUrl }) => {
  const open = async (email?: string) => {
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
    if (email) await startSession(context, baseUrl, email)
    return { context, request: context.request }
  }
  const [visitor, door, staff] = [await open(), await open(await shop.user('door')), await open(await shop.user('staff'))]
  const url = `${baseUrl}/payments/export`
  expect((await visitor.request.get(url)).status()).toBe(401)
  expect((await door.request.get(url)).status()).toBe(403)
  expect((await staff.request.get(url)).status()).toBe(200)
  const head = await staff.request.head(url)
  expect([head.status(), (await head.body()).length]).toEqual([200, 0])
  expect(head.headers()['content-disposition']).toMatch(/^attachment; filename="payments-\d{4}-\d\d-\d\d\.csv"$/)
  const post = await staff.request.post(url)
  expect([post.status(), post.headers().allow]).toEqual([405, 'GET, HEAD'])
  expect((await staff.request.get(`${url}?status=nonsense`)).status()).toBe(400)
  expect((await staff.request.get(`${baseUrl}/coupons/export?status=paid`)).status()).toBe(400)
  expect((await staff.request.get(`${baseUrl}/nothing/export`)).status()).toBe(404)
  for (const { context } of [visitor, door, staff]) await context.close()
})

/**
 * Adds 1,300 payments of 47 kB each, more than the buffers between the server and a client can hold. On Linux, one of these buffers alone
 * may grow to 32 MB. PostgreSQL generates the payments, because importing 60 MB would take seconds.
 */
const addLargePayments = (seller: string) =>
  database().transaction(async ({ rows }) => {
    await rows(sql`select set_config('desk.events', 'off', true)`)
    const record = {
      ...minimal('payments', { customerEmail: 'CANARY@example.com' }),
      sellerId: seller,
      taxBreakdown: [],
      updatedAt: '2026-03-01T12:00:00.000Z',
    }
    await rows(sql`
      insert into payments (seller_id, record)
      select ${seller}, (${JSON.stringify(record)}::text::jsonb
        || jsonb_build_object('id', lpad(to_hex(i), 24, '0'), 'userAgent', repeat(i || ' of a long line ', 2400)))::json
      from generate_series(0, 1299) as i`)
  })

/** Requests an export and waits for its first bytes. The rest arrives only as the caller reads it. */
async function openSlowly(page: Page, url: string): Promise<IncomingMessage> {
  const cookies = await page.context().cookies()
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { Cookie } }, resolve).on('error', reject)
  })
  await new Promise((resolve) => response.once('readable', resolve))
  return response
}

async function readRest(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

test('the server does not read ahead of a slow client, and an export includes records that are added in the meantime', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await addLargePayments(shop.seller)
  const slowExport = await openSlowly(page, `${baseUrl}/payments/export`)
  // These requests take long enough for a server that reads ahead to have read everything.
  const headers = { Authorization: `Bearer ${shop.key}` }
  for (let times = 0; times < 50; times += 1) await (await fetch(`${baseUrl}/v1/payments?limit=10`, { headers })).arrayBuffer()
  await shop.load('payments', [minimal('payments', { orderId: 'CAME-LATER', createdAt: '2020-01-01T00:00:00.000Z' })])
  const [header, ...rows] = (await readRest(slowExport)).trimEnd().split('\r\n')
  expect(rows).toHaveLength(1301)
  expect(readCsv([header, rows.at(-1)].join('\r\n'))).toMatchObject([{ orderId: 'CAME-LATER' }])
})

test('an outage aborts a running export; during the outage, exports fail, and pages report the outage instead of looking empty', async ({
  page,
}) => {
  const copy = await createDatabase(String(process.env.TEST_OWNER_URL))
  const url = new URL(copy.url)
  const network = await startCuttingProxy(Number(url.port), () => false)
  url.port = String(network.port)
  // Open the pool that the tests share, so that it can be restored below.
  await makeSeller()
  const shared = database()
  const pool = openDatabase({ url: copy.url, statementMs: 60_000 })
  setDatabase(pool)
  const server = await serve({ DATABASE_URL: url.href, DATA_DIR: String(process.env.TEST_DATA_DIR) })
  try {
    const seller = await makeSeller()
    await addLargePayments(seller)
    const email = `owner@${seller}.example.com`
    await addUser(seller, { email, password: PASSWORD, role: 'owner' })
    await signIn(page, `${server.url}/payments`, email)
    const abandoned = await openSlowly(page, `${server.url}/payments/export`)
    abandoned.destroy()
    const slowExport = await openSlowly(page, `${server.url}/payments/export`)
    // A client that disconnects is not an error.
    expect(server.output()).not.toContain('export aborted')
    await network.close()
    let readError: unknown
    const text = await readRest(slowExport).catch((error: unknown) => {
      readError = error
      return ''
    })
    expect(text).toBe('')
    expect(readError).toBeInstanceOf(Error)
    expect(slowExport.complete).toBe(false)
    const response = await page.request.get(`${server.url}/payments/export`)
    expect(response.status()).toBeGreaterThanOrEqual(500)
    await expect.poll(() => server.output()).toContain('export aborted')
    expect(server.output()).not.toContain('CANARY')
    // Pages report the outage instead of looking empty.
    for (const path of ['/payments', '/overview', '/door']) {
      await page.goto(`${server.url}${path}`)
      await expect(page.getByRole('heading', { name: 'We can’t reach your data right now' })).toBeVisible()
    }
  } finally {
    setDatabase(shared)
    await stop(server, 'SIGKILL')
    await Promise.all([pool.close(), network.close()])
    await copy.drop()
  }
})

test('“Copy API request” copies a curl command that returns what the page shows', async ({ signedIn: page, shop, baseUrl, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const specialText = `O'Neil"$HOME"\`id\`&100%ü+`
  await shop.load('payments', [
    ...Array.from({ length: 45 }, (_, index) =>
      minimal('payments', { orderId: `${specialText}${index}`, createdAt: `2026-03-01T12:00:${10 + index}.000Z` }),
    ),
    minimal('payments', { orderId: 'another' }),
  ])
  await page.goto(`${baseUrl}/payments?${new URLSearchParams({ search: specialText, status: 'paid' })}`)
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByText('21–40 of 45')).toBeVisible()
  await page.getByLabel('More actions').click()
  await page.getByRole('button', { name: 'Copy API request' }).click()
  await expect(page.getByText('Copied API request')).toBeAttached()
  const line = await page.evaluate(() => navigator.clipboard.readText())
  expect(line).toContain('"Authorization: Bearer $KEY"')
  const { stdout } = await promisify(execFile)('bash', ['-c', line], { env: { ...process.env, KEY: shop.key } })
  const response = JSON.parse(stdout) as { data: Line[]; total: number }
  expect(response.total).toBe(45)
  const links = await page.locator('a[data-row]').evaluateAll((rows) => rows.map((row) => row instanceof HTMLAnchorElement && row.pathname))
  expect(response.data.map(({ id }) => `/payments/${id}`)).toEqual(links)
})
