/** Tests that the API reference is complete and accessible, and that its code samples work as shown. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { type ResourceName, resources } from '@/lib/catalog'
import { writeOperations } from '@/lib/catalog/write-operations'
import { openApiDocument } from '@/lib/http/openapi/document'
import { EXAMPLE_URL } from '@/lib/http/openapi/samples'
import type { ImportName } from '@/lib/sync/import/import'
import { createEndpoint } from '@/lib/webhooks/endpoints'
import { type Line, minimal } from '@/testing/seller'
import { type Api, expect, test } from './support/api'
import { expectAccessibleInAllThemesAndSizes, type Page, watch } from './support/dashboard'

const run = promisify(execFile)

/** The program that runs the code samples in each language, and instructions for installing it. */
const programs = {
  curl: {
    command: 'sh',
    file: 'example.sh',
    probe: ['curl', '--version'],
    hint: 'curl is not installed. Run `apt-get install curl`, or see https://curl.se.',
  },
  JavaScript: { command: process.execPath, file: 'example.mjs', probe: [process.execPath, '--version'], hint: '' },
  Python: {
    command: 'python3',
    file: 'example.py',
    probe: ['python3', '--version'],
    hint: 'Python 3 is not installed. Run `apt-get install python3`, or see https://www.python.org.',
  },
} as const
type Language = keyof typeof programs

const checks = new Map<Language, Promise<unknown>>()

/** Checks, once per language, that the program is installed. @throws with instructions if it is not */
async function requireProgram(language: Language): Promise<void> {
  const { probe, hint } = programs[language]
  const check = checks.get(language) ?? run(probe[0], [probe[1]])
  checks.set(language, check)
  await check.catch(() => {
    throw new Error(hint)
  })
}

/** Runs a code sample the way a reader would: from a file, with the key in the environment. @returns its output */
async function runExample(language: Language, source: string, env: Record<string, string>): Promise<string> {
  const { command, file } = programs[language]
  await requireProgram(language)
  const folder = await mkdtemp(join(tmpdir(), 'desk-example-'))
  try {
    await writeFile(join(folder, file), source)
    return (await run(command, [join(folder, file)], { cwd: folder, env: { ...process.env, ...env } })).stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

const operations = Object.values(openApiDocument().paths).flatMap((item) => Object.values(item))
const operationsWithSamples = operations.filter((operation) => operation['x-codeSamples'])

let samples: Promise<Map<string, Record<Language, string>>> | undefined

/** Returns the page's code samples by operation and language. Fetches the page only once. */
function loadExamples(url: string): Promise<Map<string, Record<Language, string>>> {
  samples ??= readExamples(url)
  return samples
}

async function readExamples(url: string): Promise<Map<string, Record<Language, string>>> {
  const html = await (await fetch(`${url}/docs`)).text()
  const examples = new Map<string, Record<Language, string>>()
  const toPlainText = (text: string) =>
    text
      .replace(/<!--.*?-->|<[^>]+>/g, '')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&#x27;/g, "'")
      .replace(/&amp;/g, '&')
  for (const [, label = '', operation = '', code = ''] of html.matchAll(
    /class="sample" data-label="(\w+)" data-operation="(\w+)".*?<code>(.*?)<\/code>/gs,
  )) {
    examples.set(operation, { ...(examples.get(operation) ?? { curl: '', JavaScript: '', Python: '' }), [label]: toPlainText(code) })
  }
  return examples
}

test('the API reference has code samples for every operation in every language, with the server’s URL', async ({ baseUrl }) => {
  const examples = await loadExamples(baseUrl)
  expect([...examples.keys()].sort()).toEqual(operationsWithSamples.map(({ operationId }) => operationId).sort())
  for (const [operation, sources] of examples) {
    for (const [language, source] of Object.entries(sources)) {
      expect(source.length, `${operation} ${language}`).toBeGreaterThan(50)
      expect(source).toContain(baseUrl)
    }
  }
})

/** Returns the number of differing lines in two programs, or infinity if they have different numbers of lines. */
function countDifferingLines(one: string, other: string): number {
  const [lines, others] = [one.split('\n'), other.split('\n')]
  return lines.length === others.length ? lines.filter((line, i) => line !== others[i]).length : Number.POSITIVE_INFINITY
}

test('JavaScript and Python samples print why a request was rejected, and differ in at most three lines between resources', async ({
  api,
}) => {
  const examples = await loadExamples(api.url)
  const find = (path: string) => examples.get(openApiDocument().paths[path]?.get?.operationId ?? '')
  for (const language of ['JavaScript', 'Python'] as const) {
    const [list = '', single = ''] = ['/v1/payments', '/v1/payments/{id}'].map((path) => find(path)?.[language])
    await expect(runExample(language, list, { DESK_KEY: 'desk_x' })).rejects.toThrow(/This API key is not valid|401/)
    await expect(runExample(language, single, { DESK_KEY: api.key, ID: 'x' })).rejects.toThrow(/id must be an ID of 24 hex digits/)
    for (const name of Object.keys(resources)) {
      // The samples differ only in the comment, the URL and the printed member.
      expect(countDifferingLines(find(`/v1/${name}`)?.[language] ?? '', list), name).toBeLessThanOrEqual(3)
      expect(countDifferingLines(find(`/v1/${name}/{id}`)?.[language] ?? '', single), name).toBeLessThanOrEqual(3)
    }
  }
})

for (const name of Object.keys(resources) as ResourceName[]) {
  test(`the code samples for ${name} print two records with curl, the entire list in JavaScript and Python, and a single record`, async ({
    api,
  }) => {
    const lines: Line[] = Array.from({ length: 205 }, (_, i) =>
      minimal(name, { createdAt: new Date(Date.UTC(2026, 1, 1) + Math.floor(i / 3) * 1000).toISOString() }),
    )
    await api.load(name, lines)
    const order = lines.sort((a, b) => (`${a.createdAt}${a.id}` < `${b.createdAt}${b.id}` ? 1 : -1)).map(({ id }) => id)
    const operation = openApiDocument().paths[`/v1/${name}`]?.get?.operationId ?? ''
    const sources = (await loadExamples(api.url)).get(operation)
    const env = { DESK_KEY: api.key }
    expect(JSON.parse(await runExample('curl', sources?.curl ?? '', env))).toMatchObject({
      total: 205,
      data: [{ id: order[0] }, { id: order[1] }],
    })
    for (const language of ['JavaScript', 'Python'] as const) {
      const output = await runExample(language, sources?.[language] ?? '', env)
      expect(
        output
          .trim()
          .split('\n')
          .map((line) => line.split(' ')[0]),
      ).toEqual(order)
    }
    const single = (await loadExamples(api.url)).get(openApiDocument().paths[`/v1/${name}/{id}`]?.get?.operationId ?? '')
    const [id = ''] = order.map(String)
    expect(JSON.parse(await runExample('curl', single?.curl ?? '', { ...env, ID: id }))).toMatchObject({ data: { id } })
    for (const language of ['JavaScript', 'Python'] as const) {
      expect(await runExample(language, single?.[language] ?? '', { ...env, ID: id })).toMatch(new RegExp(`^${id} `))
    }
  })
}

test('the code samples for ticket validation check in a ticket, and print why a second check-in is rejected', async ({ api }) => {
  const sources = (await loadExamples(api.url)).get('validateTicket')
  for (const language of ['curl', 'JavaScript', 'Python'] as const) {
    const code = `${language} /ü&%`
    await api.load('tickets', [minimal('tickets', { qrCode: code })])
    const env = { DESK_KEY: api.key, CODE: language === 'curl' ? encodeURIComponent(code) : code }
    const [first, second] = [
      await runExample(language, sources?.[language] ?? '', env),
      await runExample(language, sources?.[language] ?? '', env),
    ]
    if (language === 'curl') {
      expect(JSON.parse(first)).toMatchObject({ success: true, ticket: { metadata: [{ key: 'gate', value: '2' }] } })
      expect(JSON.parse(second)).toMatchObject({ success: false, reason: 'already_checked_in' })
    } else {
      expect(first).toBe('ADMITTED Ticket validated and metadata updated\n')
      expect(second).toMatch(/^REFUSED Already checked in/)
    }
  }
})

/** Creates a record or webhook endpoint for an operation to act on. @returns the record */
async function addRecord(api: Api, name: string): Promise<Line> {
  if (name === 'webhook_endpoints') {
    const endpoint = { url: 'https://shop.example.com', events: ['payment.paid'] }
    return JSON.parse(await database().transaction((connection) => createEndpoint(connection, api.seller, undefined, endpoint))) as Line
  }
  const line = minimal(name as ImportName)
  await api.load(name as ImportName, [line])
  return line
}

test('the code samples succeed for every operation that changes records', async ({ another }) => {
  for (const { id, status, record } of writeOperations) {
    for (const language of ['curl', 'JavaScript', 'Python'] as const) {
      const api = await another()
      const line = await addRecord(api, record.name)
      const source = (await loadExamples(api.url)).get(id)?.[language] ?? ''
      const output = await runExample(language, source, { DESK_KEY: api.key, ID: String(line.id) })
      const body = status === 204 ? '$' : '\\{"data":\\{'
      expect(output.trim(), `${id} ${language}`).toMatch(new RegExp(language === 'curl' ? `^${body}` : `^${status} ?${body}`))
    }
  }
})

test('the curl sample for webhook deliveries lists all of them; the JavaScript and Python samples list those whose last attempt failed', async ({
  api,
}) => {
  const { id } = await addRecord(api, 'webhook_endpoints')
  // Playwright turns on colors; without this variable, Node.js would print numbers in color.
  const env = { DESK_KEY: api.key, ID: String(id), FORCE_COLOR: '0' }
  const sources = (await loadExamples(api.url)).get('listWebhookDeliveries')
  const events = ['succeeded', 'failed', 'pending', 'pending'].map((state, i) => [`evt_${String(i).repeat(24)}`, state] as const)
  for (const [i, [eventId, state]] of events.entries()) {
    const key = sql`${api.seller}, ${id}, ${eventId}`
    const created = sql`now() - ${i} * interval '1 minute'`
    const due = sql`now() + interval '1 hour'`
    await database().use(({ rows }) =>
      rows(sql`
      insert into webhook_deliveries (seller_id, endpoint_id, event_id, state, attempts, created_at, next_at) values (${key}, ${state}, 1, ${created}, ${due})`),
    )
    if (i < 3)
      await database().use(({ rows }) =>
        rows(sql`
        insert into webhook_attempts (seller_id, endpoint_id, event_id, at, status, error, ms) values (${key}, now(), ${i === 0 ? 200 : i === 1 ? 500 : null}::int, ${i === 2 ? 'timeout' : null}, 1)`),
      )
  }
  expect(JSON.parse(await runExample('curl', sources?.curl ?? '', env)).data).toHaveLength(4)
  const failed = `${events[1]?.[0]} failed 500\n${events[2]?.[0]} pending timeout\n`
  for (const language of ['JavaScript', 'Python'] as const) expect(await runExample(language, sources?.[language] ?? '', env)).toBe(failed)
})

test('the curl commands in the API reference’s guide work as shown', async ({ api }) => {
  const html = (await (await fetch(`${api.url}/docs`)).text())
    .replace(/<[^>]+>/g, '')
    .replace(/&#x27;/g, "'")
    .replace(/&quot;/g, '"')
  await api.load('payments', [minimal('payments', { customerEmail: 'ann+news@example.com' }), minimal('payments')])
  const commands = openApiDocument().info.description.match(/^curl -sG? '.+$/gm) ?? []
  const totals: number[] = []
  for (const command of commands.map((line) => line.replace(EXAMPLE_URL, api.url))) {
    expect(html).toContain(command)
    totals.push((JSON.parse(await runExample('curl', command, { DESK_KEY: api.key })) as { total: number }).total)
  }
  expect(totals).toEqual([2, 1])
})

test('the API reference shows every operation, parameter, member, enum value and error code of the OpenAPI document', async ({
  baseUrl,
}) => {
  const html = await (await fetch(`${baseUrl}/docs`)).text()
  const document = openApiDocument()
  const expected = new Set<string>()
  for (const { properties = {} } of Object.values(document.components.schemas)) {
    for (const [name, { enum: values = [] }] of Object.entries(properties)) for (const word of [name, ...values]) expected.add(`>${word}<`)
  }
  for (const { operationId, parameters = [], responses } of operations) {
    expected.add(`id="${operationId}"`)
    for (const { name } of parameters) expected.add(`>${name}<`)
    for (const { content } of Object.values(responses)) {
      for (const code of content?.['application/json']?.schema.properties?.code?.enum ?? []) expected.add(`>${code}<`)
    }
  }
  // The members of an error are documented by the guide's example instead of a table.
  for (const name of Object.keys(document.components.schemas.Error?.properties ?? {})) expected.delete(`>${name}<`)
  expect(expected.size).toBeGreaterThan(200)
  expect([...expected].filter((text) => !html.includes(text))).toEqual([])
})

test('the API reference is accessible with everything expanded, does not cut off tables, and loads at most 150 KiB of gzipped scripts', async ({
  page,
  baseUrl,
}) => {
  const problems = watch(page, baseUrl)
  const scripts: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.body().then((body) => gzipSync(body).length))
  })
  await page.goto(`${baseUrl}/docs`, { waitUntil: 'networkidle' })
  await expect(page).toHaveTitle('API reference · Checkout Desk')
  const bytes = (await Promise.all(scripts)).reduce((sum, length) => sum + length, 0)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThanOrEqual(150 * 1024)
  await expect(page.getByRole('heading', { name: 'API reference', level: 1 })).toBeVisible()

  await expect(page.locator('table')).not.toHaveCount(0)
  for (const width of [320, 360, 375, 390, 430, 640, 768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const cut = await page
      .locator('table')
      .evaluateAll((tables) =>
        tables
          .filter((table) => table.scrollWidth > (table.parentElement?.clientWidth ?? 0))
          .map((table) => table.textContent?.slice(0, 40)),
      )
    expect(cut, `at ${width} pixels`).toEqual([])
  }

  await page.getByText('Try it', { exact: true }).first().waitFor()
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
  })
  await expectAccessibleInAllThemesAndSizes(page)
  expect(problems).toEqual([])
})

test('without JavaScript, the API reference switches languages, expands fields and shows no form', async ({ browser, baseUrl }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${baseUrl}/docs`)
  const section = page.locator('#listPayments')
  await expect(section.getByText('payments.py: reads the whole list')).toBeHidden()
  await section.getByText('Python', { exact: true }).click()
  await expect(section.getByText('payments.py: reads the whole list')).toBeVisible()
  await expect(section.getByText('curl -s')).toBeHidden()
  const record = page.locator('#payments-record')
  await expect(record.getByText('payWhatYouWantPrice')).toBeHidden()
  await record.getByText('more fields').click()
  await expect(record.getByText('payWhatYouWantPrice')).toBeVisible()
  await expect(page.locator('form, input[type=password]')).toHaveCount(0)
  await page.getByRole('navigation').getByRole('link', { name: 'Validate a ticket' }).click()
  await expect(page.getByRole('heading', { name: 'Validate a ticket' })).toBeInViewport()
  await context.close()
})

/** Opens an operation's “Try it” form. @returns the operation's section */
async function openForm(page: Page, id: string, api: Api) {
  await page.goto(`${api.url}/docs#${id}`)
  const section = page.locator(`#${id}`)
  await section.getByText('Try it', { exact: true }).click()
  return section
}

test('“Try it” pages through a list, does not store the key, and reports an invalid key and a failed connection', async ({ page, api }) => {
  const problems = watch(page, api.url)
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await api.load(
    'payments',
    Array.from({ length: 5 }, (_, i) => minimal('payments', { orderId: `OR-${i}`, createdAt: `2026-03-0${i + 1}T00:00:00.000Z` })),
  )
  const section = await openForm(page, 'listPayments', api)
  await section.getByLabel('API key').fill(api.key)
  await section.getByLabel('limit').fill('2')
  await section.getByLabel('status').selectOption('paid')
  await section.getByRole('button', { name: 'Send' }).click()
  await expect(section.getByLabel('Response', { exact: true })).toHaveValue(/"total": 5[\s\S]*OR-4[\s\S]*OR-3/)
  // The button keeps focus while the request is pending.
  await expect(section.getByRole('button', { name: 'Send' })).toBeFocused()
  await section.getByRole('button', { name: 'Next page' }).click()
  await expect(section.getByLabel('Response', { exact: true })).toHaveValue(/OR-2[\s\S]*OR-1/)
  await section.getByRole('button', { name: 'Next page' }).click()
  await expect(section.getByLabel('Response', { exact: true })).toHaveValue(/"has_more": false[\s\S]*OR-0/)
  await expect(section.getByRole('button', { name: 'Next page' })).toHaveCount(0)
  // The key is copied to the other forms, but the browser does not store it.
  await page.locator('#listCoupons').getByText('Try it', { exact: true }).click()
  await expect(page.locator('#listCoupons').getByLabel('API key')).toHaveValue(api.key)
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]))
  expect(stored).not.toContain(api.key)
  expect(requested.filter((url) => url.includes(api.key))).toEqual([])
  await page.reload()
  await section.getByText('Try it', { exact: true }).click()
  await expect(section.getByLabel('API key')).toHaveValue('')
  expect(problems).toEqual([])

  await section.getByLabel('API key').fill('desk_x')
  await section.getByRole('button', { name: 'Send' }).click()
  await expect(section.getByLabel('Response', { exact: true })).toHaveValue(/key_invalid/)
  await page.context().setOffline(true)
  await section.getByRole('button', { name: 'Send' }).click()
  await expect(section.getByText('No response.')).toBeVisible()
})

test('“Try it” previews a validation, and checks the ticket in if `checkIn` is removed from the body', async ({ page, api }) => {
  await api.load('tickets', [minimal('tickets', { qrCode: 'a/b ü' })])
  const section = await openForm(page, 'validateTicket', api)
  await section.getByLabel('API key').fill(api.key)
  await section.getByLabel('qrCode').fill('a/b ü')
  for (const _ of [1, 2]) {
    await section.getByRole('button', { name: 'Send' }).click()
    await expect(section.getByLabel('Response', { exact: true })).toHaveValue(/"success": true[\s\S]*UNCHECKEDIN/)
  }
  await section.getByLabel('Request body').fill('{}')
  await section.getByRole('button', { name: 'Send' }).click()
  await expect(section.getByLabel('Response', { exact: true })).toHaveValue(/"checkInStatus": "CHECKEDIN"/)
  await section.getByLabel('Request body').fill('{')
  await section.getByRole('button', { name: 'Send' }).click()
  await expect(section.getByText('The request body is not valid JSON.')).toBeVisible()
})
