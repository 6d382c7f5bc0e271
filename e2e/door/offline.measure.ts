/** Measures a check-in device with 50,000 tickets in Chromium, and writes the results to the table in docs/offline-protocol.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { createDevice } from '@/lib/accounts/check-in-devices'
import { deriveCodeKeys, requestCodeKeys } from '@/lib/admission/code-keys'
import { codeDigest, deriveIndexKey } from '@/lib/admission/seal-ticket'
import { percentile } from '@/testing/percentile'
import { expect, makeUser, newAddress, type Page, type Shop, test } from '../support/dashboard'

const TICKETS = 50_000
/** The number of tickets with low-entropy codes, which need a slow key derivation. */
const WEAK_TICKETS = 60
/** The number of other tickets to scan online, and the number to scan offline. */
const SCANS = 100

const toCode = (ticket: number) => `K7qW2xZr9LmT4vBn8HcYs3Dj${String(ticket).padStart(5, '0')}`
const toWeakCode = (ticket: number) => `WEAK-${ticket}`
const toId = (ticket: number) => ticket.toString(16).padStart(24, '0')

/** Stores the tickets without writing events, and derives the keys of the low-entropy codes. */
async function storeTickets({ seller }: Shop): Promise<void> {
  for (let from = 0; from < TICKETS; from += 5_000) {
    await database().transaction(async ({ rows }) => {
      await rows(sql`select set_config('desk.events', 'off', true)`)
      await rows(sql`
        insert into tickets (seller_id, record, qr_code)
        select ${seller}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${seller}::text, 'status', 'PAID', 'ticketShortId', 'T' || n,
          'orderId', 'OR-' || n / 2, 'customerName', 'Guest ' || n, 'createdAt', '2026-01-01T00:00:00.000Z', 'updatedAt', '2026-01-01T00:00:00.000Z'),
          case when n < ${WEAK_TICKETS}::int then 'WEAK-' || n else 'K7qW2xZr9LmT4vBn8HcYs3Dj' || lpad(n::text, 5, '0') end
        from generate_series(${from}::int, ${from + 4_999}::int) as n`)
    })
  }
  const indexKey = await deriveIndexKey(seller)
  await requestCodeKeys(
    seller,
    Array.from({ length: WEAK_TICKETS }, (_, ticket) => ({
      ticketId: toId(ticket),
      digest: codeDigest(indexKey, `WEAK-${ticket}`).toString('hex'),
    })),
  )
  await deriveCodeKeys()
}

/** Scans codes one after another. All must be admitted. @returns the milliseconds from each scan to its result, in ascending order */
async function timeScans(page: Page, codes: string[]): Promise<number[]> {
  const times: number[] = []
  for (const code of codes) {
    times.push(
      await page.evaluate(async (text) => {
        const field = document.querySelector<HTMLInputElement>('input[aria-label="Ticket code"]')
        const result = document.querySelector('section[data-size]')
        const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
        if (!field || !result) throw new Error('The scanner is not open.')
        setValue?.call(field, text)
        field.dispatchEvent(new Event('input', { bubbles: true }))
        let isChecking = !result.hasAttribute('data-outcome')
        const start = performance.now()
        return new Promise<number>((resolve, reject) => {
          const observer = new MutationObserver(() => {
            const kind = result.getAttribute('data-outcome')
            if (kind === null) isChecking = true
            else if (isChecking) {
              observer.disconnect()
              if (kind === 'admitted') requestAnimationFrame(() => resolve(performance.now() - start))
              else reject(new Error(`${text}: ${kind}`))
            }
          })
          observer.observe(result, { attributes: true, attributeFilter: ['data-outcome'] })
          field.form?.requestSubmit()
        })
      }, code),
    )
  }
  return times
}

const formatKib = (bytes: number) => `${Math.round(bytes / 1024).toLocaleString('en-US')} KiB`

/** Replaces the table between the markers in docs/offline-protocol.md, and prints it. */
function writeTable(rows: [string, string, string][]): void {
  const file = 'docs/offline-protocol.md'
  const lines = ['| Measure | Result | Goal |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)]
  const table = /(<!-- measured -->\n)[\s\S]*?(\n<!-- \/measured -->)/
  const text = readFileSync(file, 'utf8')
  if (!table.test(text)) throw new Error(`${file} has no markers for the table.`)
  writeFileSync(
    file,
    text.replace(table, (_, start, end) => `${start}${lines.join('\n')}${end}`),
  )
  process.stdout.write(`${lines.join('\n')}\n`)
}

test('measures loading 50,000 tickets on a device, and scans online and offline', async ({ browser, shop, baseUrl }) => {
  await storeTickets(shop)
  const email = `devices-${shop.seller}@example.com`
  const owner = { userId: await makeUser(shop.seller, email, 'owner'), email }
  const { code } = await createDevice(shop.seller, { name: 'Gate 2', pageIds: [], rights: ['offline', 'names'], days: 1 }, owner)
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    extraHTTPHeaders: { 'x-forwarded-for': newAddress() },
  })
  const page = await context.newPage()
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname === '/door/tickets') sizes.push(response.body().then((body) => body.length))
  })
  await page.goto(`${baseUrl}/door/enroll#${code}`)
  const start = Date.now()
  await page.getByRole('button', { name: 'Set up' }).click()
  const bar = page.locator('[data-offline]')
  await expect(bar).toHaveAttribute('data-offline', 'ready')
  const seconds = (Date.now() - start) / 1000
  await expect(bar).toContainText(`${TICKETS.toLocaleString('en-US')} tickets on this device`)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  const stored = await page.evaluate(async () => {
    const { usage, usageDetails } = (await navigator.storage.estimate()) as StorageEstimate & { usageDetails?: { indexedDB?: number } }
    return usageDetails?.indexedDB ?? usage ?? 0
  })
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await expect(bar).not.toContainText('page not stored yet')
  const html = await (await context.request.get(`${baseUrl}/door`)).text()
  const tags = [...html.matchAll(/<script[^>]+src="\/_next\/([^"?]+\.js)[^>]*>/g)]
  // Browsers that support modules do not load the polyfills.
  const scripts = new Set(tags.filter(([tag]) => !/nomodule/i.test(tag)).map(([, path = '']) => path))
  expect(scripts.size).toBeGreaterThan(0)
  const scriptBytes = [...scripts].reduce((sum, path) => sum + gzipSync(readFileSync(`.next/${path}`)).length, 0)

  /** Returns `count` ticket numbers. */
  const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)
  const half = WEAK_TICKETS / 2
  const online = await timeScans(page, range(10_000, SCANS).map(toCode))
  const onlineWeak = await timeScans(page, range(0, half).map(toWeakCode))
  await context.setOffline(true)
  // The first scan detects that the connection has dropped.
  const [firstOffline = 0] = await timeScans(page, [toCode(20_000)])
  const offline = await timeScans(page, range(30_000, SCANS).map(toCode))
  const offlineWeak = await timeScans(page, range(half, half).map(toWeakCode))
  await expect(bar).toHaveAttribute('data-unsent', String(1 + SCANS + half))
  const formatMs = (times: number[], share: number) => `${Math.round(percentile(times, share))} ms`
  const formatTimes = (times: number[]) => `p50 ${formatMs(times, 0.5)}, p95 ${formatMs(times, 0.95)}`
  writeTable([
    ['Scan to result, online', formatTimes(online), 'p95 < 300 ms'],
    ['Scan to result, online, low-entropy codes', formatTimes(onlineWeak), 'p95 < 500 ms'],
    ['Scan to result, offline', formatTimes(offline), 'p95 < 100 ms'],
    ['Scan to result, offline, low-entropy codes', formatTimes(offlineWeak), 'p95 < 500 ms'],
    ['First scan after the network is turned off, so that requests fail at once', `${Math.round(firstOffline)} ms`, '< 1,500 ms'],
    ['First load of 50,000 tickets', `${seconds.toFixed(1)} s, ${Math.round(bytes / TICKETS)} bytes per ticket`, '—'],
    ['Stored on the device', `${Math.round(stored / TICKETS)} bytes per ticket`, '—'],
    ['Initial JavaScript, gzipped', formatKib(scriptBytes), '—'],
  ])
  process.stdout.write(`${cpus().length} cores, ${cpus()[0]?.model}, ${browser.version()}\n`)
  await context.close()
})
