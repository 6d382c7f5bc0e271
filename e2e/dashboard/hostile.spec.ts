/** A seller with hostile text everywhere: no page renders it as markup, and no export contains it as a formula. */
import { z } from 'zod'
import { database } from '@/db/client'
import { createKey } from '@/lib/accounts/api-keys'
import { invite } from '@/lib/accounts/invitations'
import { updateSeller } from '@/lib/accounts/sellers'
import { type ResourceName, resources } from '@/lib/catalog'
import { ticketRecord } from '@/lib/catalog/ticket'
import { newObjectId } from '@/lib/core/object-id'
import { exportRecords } from '@/lib/sync/export/export'
import { createEndpoint } from '@/lib/webhooks/endpoints'
import { pagePaths } from '@/testing/routes'
import type { Line } from '@/testing/seller'
import { readCsv } from '../support/csv'
import { expect, makeUser, type Page, type Shop, startSession, test, watch } from '../support/dashboard'
import { openDoor, outcome, scan, sidePanel } from '../support/door'
import { field, openPalette } from '../support/palette'

const MARKUP = [
  '<img id=injected src=x onerror=alert(1)>',
  '"><script id=injected>alert(1)</script>',
  `'"><svg id=injected onload=alert(1)>`,
  'javascript:alert(1)//<b id=injected>',
  '</title></script></pre><b id=injected>',
]
const FORMULAS = ['=HYPERLINK("http://evil.example","x")', '+1+1', '-1+1', '@SUM(1)', '\t=1+1', '\r=1+1', '＝1+1']
const FORMULA = /^[=+\-@\t\r＝＋－＠]/

const NAMES = Object.keys(resources) as ResourceName[]
const TIMESTAMP = '2026-03-01T12:00:00.000Z'

type Schema = {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string
  enum?: string[]
  format?: string
  pattern?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
}

/** Returns a value that matches the schema and contains only hostile free text. @param next returns the next hostile text */
function fill(part: Schema, next: () => string, defs = part.$defs ?? {}): unknown {
  const schema = part.$ref ? (defs[part.$ref.split('/').at(-1) ?? ''] ?? {}) : part
  if (schema.enum) return schema.enum.find((value) => /^paid$/i.test(value)) ?? schema.enum[0]
  if (schema.format === 'date') return TIMESTAMP.slice(0, 10)
  if (schema.format === 'date-time') return TIMESTAMP
  if (schema.pattern) return newObjectId()
  if (schema.type === 'number' || schema.type === 'integer') return 1000
  if (schema.type === 'boolean') return true
  if (schema.type === 'array') return [fill(schema.items ?? {}, next, defs)]
  if (schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, fill(member, next, defs)]))
  }
  return schema.type === 'object' ? { [next()]: next() } : next()
}

type RecordsByList = Record<ResourceName | 'tickets' | 'pages', Line[]>

/** Loads two records of each resource: one filled with markup, and one filled with formulas. */
async function loadRecords(shop: Shop): Promise<RecordsByList> {
  const loaded = Object.fromEntries([...NAMES, 'tickets', 'pages'].map((name) => [name, []])) as unknown as RecordsByList
  for (const texts of [MARKUP, FORMULAS]) {
    const cycle = () => {
      let index = 0
      return () => String(texts[index++ % texts.length])
    }
    const next = cycle()
    // Each record starts with the first string, so that records with few text members still contain the most important ones.
    const make = (record: z.ZodType, members: Line = {}) => ({
      ...(fill(z.toJSONSchema(record, { io: 'output' }) as Schema, cycle()) as Line),
      ...members,
    })
    const page = { id: newObjectId(), name: next(), createdAt: TIMESTAMP }
    loaded.pages.push(page)
    for (const name of NAMES) {
      const { record } = resources[name]
      loaded[name].push(make(record, Object.hasOwn(record.shape, 'pageId') ? { pageId: page.id } : {}))
    }
    const { latestCheckIn: _, ...ticket } = make(ticketRecord, {
      qrCode: next(),
      pageId: page.id,
      chargeId: loaded.bookings.at(-1)?.id,
      checkInStatus: 'UNCHECKEDIN',
      checkIns: [],
    })
    loaded.tickets.push(ticket)
  }
  for (const [name, lines] of Object.entries(loaded)) await shop.load(name as keyof RecordsByList, lines)
  return loaded
}

/**
 * Gives hostile names to everything else that users can name. This also adds the names to the audit log.
 *
 * @returns the token of an invitation, and the ID of a webhook endpoint
 */
async function nameEverything({ seller }: Shop): Promise<{ token: string; endpointId: string }> {
  const email = `${MARKUP[0]}${seller}@example.com`
  const by = { email, userId: await makeUser(seller, email, 'owner') }
  for (const name of [...MARKUP, ...FORMULAS.map((text) => text.trim())]) {
    await createKey({ sellerId: seller, name, scopes: ['coupons:read'] }, by)
    await updateSeller(seller, { name, timeZone: 'Europe/Amsterdam' }, by)
  }
  await updateSeller(seller, { name: String(MARKUP[0]), timeZone: 'Europe/Amsterdam' }, by)
  const created = await database().transaction((connection) =>
    createEndpoint(connection, seller, by, {
      url: `https://example.com/?${MARKUP[0]}`,
      events: ['payment.created'],
      description: MARKUP[1],
    }),
  )
  const { token } = await invite(seller, { email: `${MARKUP[1]}@example.com`, role: 'staff' }, by)
  return { token, endpointId: (JSON.parse(created) as { id: string }).id }
}

/** Expects the page to contain no element that the hostile markup would create. */
async function expectHarmless(page: Page, where: string): Promise<void> {
  const activeMarkup = '#injected, [onerror], [onload], [href^="javascript:" i], [src="x"]'
  expect(await page.locator(activeMarkup).count(), where).toBe(0)
}

test.describe('hostile text in every field', () => {
  test('is shown as plain text on every page and record', async ({ page, shop, baseUrl }) => {
    const [loaded, { token, endpointId }] = [await loadRecords(shop), await nameEverything(shop)]
    const problems = watch(page, baseUrl)
    page.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await startSession(page.context(), baseUrl, await shop.user('owner'))
    const values: Record<string, (path: string) => string[]> = {
      '[resource]': () => NAMES,
      // Only the record with markup, because formulas are harmless on a page.
      '[id]': (path) => [
        path.startsWith('/settings/webhooks/') ? endpointId : String(loaded[path.split('/')[1] as keyof RecordsByList][0]?.id),
      ],
      // Nothing was sent to the endpoint, so this is the page of an unknown event.
      '[event]': () => [newObjectId()],
      '[token]': () => [token],
    }
    const paths = pagePaths((parameter, path) => {
      const found = values[parameter]
      if (!found) throw new Error(`There is no value for ${parameter} in ${path}. Add one to this test.`)
      return found(path)
    })
    expect(paths.length).toBeGreaterThan(20)
    const [img = ''] = MARKUP
    for (const path of [
      ...paths,
      `/payments?search=${encodeURIComponent(img)}`,
      `/customers?email=${encodeURIComponent(img)}`,
      `/sign-in?callbackUrl=${encodeURIComponent('javascript:alert(1)')}`,
      `/payments/${encodeURIComponent(img)}`,
      `/${encodeURIComponent(img)}`,
    ]) {
      const response = await page.goto(`${baseUrl}${path}`, { waitUntil: 'domcontentloaded' })
      expect(response?.status(), path).toBeLessThan(500)
      await expectHarmless(page, path)
    }
    // The markup is shown as text.
    await page.goto(`${baseUrl}/payments/${loaded.payments[0]?.id}`)
    await expect(page.getByText(img).first()).toBeVisible()
    await openPalette(page)
    await field(page).fill('<img')
    await expect(page.getByRole('option').filter({ hasText: img }).first()).toBeVisible()
    await expectHarmless(page, 'the palette')
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
  })

  test('is shown as plain text on the check-in page, in scans, notes, searches and unknown codes', async ({ page, shop, baseUrl }) => {
    const loaded = await loadRecords(shop)
    const problems = watch(page, baseUrl)
    page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`))
    const [{ qrCode } = {}] = loaded.tickets
    const [img = '', script = ''] = MARKUP
    const response = await shop.validate(String(qrCode), { metadata: [{ key: img, value: script }], checkIn: false }, { Device: img })
    expect(response.json).toMatchObject({ success: true })
    await openDoor(page, shop, baseUrl, 'owner')
    await scan(page, String(qrCode))
    await expect(outcome(page, 'admitted')).toBeVisible()
    await expect(sidePanel(page).getByRole('heading', { name: 'History' })).toBeVisible()
    await expect(sidePanel(page).getByRole('region', { name: 'Notes' })).toContainText(img)
    await expectHarmless(page, 'an opened ticket')
    await scan(page, `${img}?`)
    await expect(outcome(page, 'unknown')).toBeVisible()
    await page.getByRole('button', { name: 'Find a guest' }).last().click()
    await page.getByLabel('Name, email, order number or short ID').fill('injected')
    await expect(sidePanel(page)).toContainText('1 ticket found')
    await expectHarmless(page, 'the search results')
    expect(problems).toEqual([])
  })

  test('is never a formula in a CSV file, and is unchanged in the output of `desk export`', async ({ signedIn: page, shop, baseUrl }) => {
    const loaded = await loadRecords(shop)
    for (const name of NAMES) {
      const rows = readCsv(await (await page.request.get(`${baseUrl}/${name}/export`)).text())
      expect(rows).toHaveLength(2)
      const cells = rows.flatMap((row) => [...Object.keys(row), ...Object.values(row)])
      expect(cells.filter((cell) => FORMULA.test(cell))).toEqual([])
      for (const formula of FORMULAS.slice(0, 2)) expect(cells.some((cell) => cell.startsWith(`'${formula}`))).toBe(true)
    }
    for (const name of [...NAMES, 'tickets'] as const) {
      const lines: Line[] = []
      for await (const line of exportRecords(name, shop.seller)) lines.push(JSON.parse(line) as Line)
      for (const { sellerId: _, gatewayPaymentIntentClientSecret: __, metadata: ___, ...line } of loaded[name]) {
        expect(lines).toContainEqual(expect.objectContaining(line))
      }
    }
  })
})
