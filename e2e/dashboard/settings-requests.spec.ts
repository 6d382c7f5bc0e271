/** The request log in the browser: requests can be found by Request-Id, and search terms and codes are neither stored nor shown. */
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { createKey } from '@/lib/accounts/api-keys'
import { minimal } from '@/testing/seller'
import { expect, type Page, requestPage, type Shop, test } from '../support/dashboard'

const rows = (page: Page) =>
  page
    .getByRole('table', { name: 'Request log' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })

const LOG_PATH = '/settings/requests'

const readLog = ({ seller }: Shop) =>
  database().use((connection) =>
    connection.rows<{ text: string }>(sql`select to_json(r)::text as text from request_log r where seller_id = ${seller}`),
  )

/** Opens the log once it contains this many requests. Servers store them in batches. */
async function openLog(page: Page, baseUrl: string, shop: Shop, count: number): Promise<void> {
  await expect.poll(async () => (await readLog(shop)).length).toBe(count)
  await page.goto(`${baseUrl}${LOG_PATH}`)
}

const getRequestId = ({ headers }: { headers: Headers }) => String(headers.get('request-id'))

/** Sends requests in different milliseconds, because the log does not order requests that arrive in the same millisecond. */
async function sendInOrder<T>(requests: (() => Promise<T>)[]): Promise<T[]> {
  const responses: T[] = []
  for (const send of requests) {
    responses.push(await send())
    await pause(2)
  }
  return responses
}

/** Sends this many requests. @returns their IDs, newest first */
async function sendRequests(shop: Shop, count: number): Promise<string[]> {
  const responses = await sendInOrder(Array.from({ length: count }, () => () => shop.call('/v1/coupons')))
  return responses.map(getRequestId).reverse()
}

test('a request can be found by its Request-Id, and the log stores neither search terms nor ticket codes', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const canary = `canary-${shop.seller}`
  await shop.load('tickets', [minimal('tickets', { qrCode: canary })])
  const reader = await createKey({ sellerId: shop.seller, name: 'Website <b>', scopes: ['payments:read'] })
  await page.goto(`${baseUrl}${LOG_PATH}`)
  await expect(page.getByText('No requests in the last 7 days')).toBeVisible()
  const responses = await sendInOrder<{ headers: Headers }>([
    () => shop.call(`/v1/payments?search=${canary}`, { key: reader.key }),
    () => shop.call(`/v1/coupons?search=${canary}`, { key: reader.key }),
    () => shop.call(`/v1/${canary}`),
    () => shop.validate(canary, { metadata: [{ key: 'note', value: canary }] }, { Device: canary, 'Idempotency-Key': canary }),
  ])
  const [list, refused, unknown, scan] = responses.map(getRequestId) as [string, string, string, string]
  await openLog(page, baseUrl, shop, 4)
  // The log contains nothing else, because the dashboard's own requests are not logged.
  await expect(rows(page)).toHaveCount(4)
  for (const [index, [requestId, operation, status, key]] of [
    [scan, 'POST /v1/tickets/validate/:qrCode', '200 OK', 'Test'],
    [unknown, 'GET /v1/*', '404 Not Found', 'Test'],
    [refused, 'GET /v1/coupons', '403 Forbidden', 'Website <b>'],
    [list, 'GET /v1/payments', '200 OK', 'Website <b>'],
  ].entries() as ArrayIterator<[number, [string, string, string, string]]>) {
    const row = rows(page).nth(index)
    for (const text of [operation, status, key, requestId]) await expect(row).toContainText(text)
    await expect(row).toContainText(/[\d.]+ ms/)
    await expect(row.locator('time')).toHaveAttribute('datetime', /^\d{4}-\d\d-\d\dT.+Z$/)
  }
  await rows(page).first().getByRole('link', { name: 'Test' }).click()
  await expect(page).toHaveURL(`${baseUrl}/settings/keys`)
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Request log' }).click()
  await page.getByRole('searchbox', { name: 'Request ID' }).fill(refused)
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('403 Forbidden')
  await page.getByRole('searchbox', { name: 'Request ID' }).fill(refused.slice(0, -1))
  await expect(page.getByText('No request with this ID')).toBeVisible()
  await page.getByRole('link', { name: 'View all requests' }).click()
  await expect(rows(page)).toHaveCount(4)
  expect((await page.content()).includes(canary)).toBe(false)
  const stored = await readLog(shop)
  expect(stored).toHaveLength(4)
  for (const { text } of stored) for (const secret of [canary, shop.key, reader.key]) expect(text.includes(secret)).toBe(false)
})

test('links lead to older and newer requests, and the log can be filtered by status and key', async ({ signedIn: page, shop, baseUrl }) => {
  const other = await createKey({ sellerId: shop.seller, name: 'Other', scopes: ['coupons:read'] })
  const refused = await shop.call('/v1/payments', { key: other.key })
  const ids = await sendRequests(shop, 22)
  await openLog(page, baseUrl, shop, 23)
  await expect(rows(page)).toHaveCount(20)
  await expect(page.getByRole('link', { name: 'Previous' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(rows(page)).toHaveCount(3)
  await expect(rows(page).first()).toContainText(String(ids[20]))
  await expect(page.getByRole('link', { name: 'Next' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Previous' }).click()
  await expect(rows(page)).toHaveCount(20)
  await expect(rows(page).first()).toContainText(String(ids[0]))
  const choose = async (filter: string, value: string) => {
    await page.getByRole('button', { name: filter, exact: true }).click()
    await page.getByRole('dialog', { name: filter }).getByLabel(value).check()
    await page.keyboard.press('Escape')
  }
  await choose('Status', 'Rejected (4xx)')
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(getRequestId(refused))
  await choose('Key', 'Test')
  await expect(page.getByText('No matching requests')).toBeVisible()
  await page.getByRole('button', { name: 'Remove Status filter' }).click()
  await page.getByRole('button', { name: 'Remove Key filter' }).click()
  await choose('Key', 'Other')
  await expect(rows(page)).toHaveCount(1)
  for (const query of ['status=2', 'key=x', 'limit=0', 'before=1', 'starting_after=req_1&ending_before=req_2'])
    expect((await requestPage(page, `${baseUrl}${LOG_PATH}?${query}`)).html, query).toContain('This link isn’t valid anymore')
  await page.goto(`${baseUrl}${LOG_PATH}?starting_after=x`)
  await expect(page.getByText('This link isn’t valid anymore')).toBeVisible()
  await page.getByRole('link', { name: 'View all requests' }).click()
  await expect(rows(page)).toHaveCount(20)
})
