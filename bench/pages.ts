/** Benchmarks dashboard pages in a real browser: response to clicks, first paint, script size, layout and accessibility. */
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright/test'
import { makeSample } from '@/cli/sample/records'
import { chromiumPath, LAUNCH_ARGS } from '@/e2e/support/chromium'
import { createSeller } from '@/lib/accounts/sellers'
import { importRecords } from '@/lib/sync/import/import'
import { percentile } from '@/testing/percentile'
import { findViolations } from './accessibility'
import { openCluster } from './cluster'
import { PASSWORD, signIn, withDatabase } from './context'
import { createEmpty } from './data'
import { type Benchmark, type Figure, formatNumber } from './figure'
import { median } from './load'
import { startProduct, stop } from './programs'

const RUNS = 20
/** The number of runs for measurements that take seconds each. */
const SLOW_RUNS = 5
const EMAIL = 'owner@bench.example'
const VIEWPORT = { width: 1440, height: 900 }
/** The network profile that Chrome DevTools used to call "Fast 3G" and now calls "Slow 4G". */
const FAST_3G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6 * 1024 * 1024 * 0.9) / 8,
  uploadThroughput: (750 * 1024 * 0.9) / 8,
}

const ROWS = 'a[data-row]'
/** Matches a row in a table with at most 11 rows. With ten million records, a search for an order number also finds ten longer ones. */
const FEW_ROWS = `tbody:not(:has(tr:nth-child(12))) ${ROWS}`
const DRAWER = 'aside[data-peek] #history'

/** Creates the sample shop in an empty database. */
async function makeShop(url: string): Promise<void> {
  await withDatabase(url, async () => {
    const { sellerId } = await createSeller({ name: 'Bench', timeZone: 'Europe/Amsterdam', email: EMAIL, password: PASSWORD })
    for (const [resource, lines] of makeSample(new Date())) {
      const input = Readable.from(lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)))
      await importRecords({ resource, seller: sellerId, input, onReject: () => {} })
    }
  })
}

type Action = 'click' | 'peek' | 'back' | `type ${string}`

/**
 * Performs a user action. Returns the time in milliseconds until the first animation frame in which an element matches `selector`.
 *
 * @param on a selector for the element to act on
 * @param selector a selector for the element to wait for, which must not match anything before the action
 */
async function timeAction(page: Page, action: Action, on: string, selector: string): Promise<number> {
  // On a busy machine, the page may still show earlier content because `networkidle` does not wait for client-side navigation.
  await page.locator(on).first().waitFor({ state: 'attached' })
  await page.locator(selector).first().waitFor({ state: 'detached' })
  return page.evaluate(
    async ({ action, on, selector }) => {
      const element = document.querySelector<HTMLElement>(on)
      if (!element) throw new Error(`${action} ${on}: the element no longer exists.`)
      const start = performance.now()
      if (action === 'back') history.back()
      else if (action === 'click') element.click()
      else if (action === 'peek')
        element.closest('tr')?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }))
      else {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(element, action.slice('type '.length))
        element.dispatchEvent(new Event('input', { bubbles: true }))
      }
      await new Promise<void>((resolve, reject) => {
        const check = () => {
          if (document.querySelector(selector)) resolve()
          else if (performance.now() - start > 10_000) reject(new Error(`${action} ${on}: ${selector} did not appear.`))
          else requestAnimationFrame(check)
        }
        requestAnimationFrame(check)
      })
      return performance.now() - start
    },
    { action, on, selector },
  )
}

/** Waits until the page has loaded no resource for 200 ms. Unlike `networkidle`, this also works after client-side navigation. */
const waitUntilIdle = (page: Page): Promise<void> =>
  page.evaluate(async (quietMs) => {
    for (let before = -1, now = 0; now !== before; ) {
      before = now
      await new Promise((resolve) => setTimeout(resolve, quietMs))
      now = performance.getEntriesByType('resource').length
    }
  }, 200)

/** Returns the results of several runs, excluding an initial warm-up run that compiles code and fills caches. */
async function repeat(runs: number, measureOnce: (run: number) => Promise<number>): Promise<number[]> {
  const values: number[] = []
  for (let run = 0; run <= runs; run += 1) values.push(await measureOnce(run))
  return values.slice(1)
}

const timeFigure = (name: string, max: number, times: number[]): Figure => ({
  name,
  goal: { atMost: max },
  value: median(times),
  unit: 'ms',
  rounds: times,
  ours: `${formatNumber(median(times))} ms, p90 ${formatNumber(percentile(times, 0.9))}`,
})

const countFigure = (name: string, goal: NonNullable<Figure['goal']>, value: number, unit: Figure['unit']): Figure => ({
  ...{ name, goal, value, unit },
  rounds: [value],
})

/**
 * Measures clicks, back navigation and live search.
 *
 * @param name the prefix of the figures' names
 * @param goalFactor a multiplier for the goals, which are those for the sample shop
 */
async function measureClicks(page: Page, url: string, name: string, goalFactor = 1): Promise<Figure[]> {
  const times = { list: [] as number[], record: [] as number[], back: [] as number[], peek: [] as number[], search: [] as number[] }
  for (let run = 0; run <= RUNS; run += 1) {
    await page.goto(`${url}/overview`, { waitUntil: 'networkidle' })
    const list = await timeAction(page, 'click', 'nav a[href="/payments"]', ROWS)
    await waitUntilIdle(page)
    const record = await timeAction(page, 'click', ROWS, 'h2#history')
    await waitUntilIdle(page)
    const back = await timeAction(page, 'back', 'h2#history', ROWS)
    await waitUntilIdle(page)
    const peek = await timeAction(page, 'peek', ROWS, DRAWER)
    await page.keyboard.press('Escape')
    await page.waitForSelector(DRAWER, { state: 'detached' })
    const order = await page.locator(ROWS).nth(7).innerText()
    const search = await timeAction(page, `type ${order}`, 'main input[type=search]', FEW_ROWS)
    // Discard the warm-up run, which compiles code and fills caches.
    if (run === 0) continue
    times.list.push(list)
    times.record.push(record)
    times.back.push(back)
    times.peek.push(peek)
    times.search.push(search)
  }
  return [
    timeFigure(`${name}: from a click on a list to its rows`, goalFactor * 120, times.list),
    timeFigure(`${name}: from a click on a record to its page`, goalFactor * 120, times.record),
    timeFigure(`${name}: back to the list`, goalFactor * 60, times.back),
    timeFigure(`${name}: from a click on a row to its drawer`, goalFactor * 120, times.peek),
    timeFigure(`${name}: live search, from the last key`, goalFactor * 200, times.search),
  ]
}

/** Returns the compressed size of a page's scripts in KiB. */
async function measureScriptSize(page: Page, url: string): Promise<number> {
  const bodies: Promise<Buffer>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') bodies.push(response.body())
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  const bytes = (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0)
  return bytes / 1024
}

/** Runs `run` with a new page and closes the page afterward. */
async function inNewPage<T>(context: BrowserContext, run: (page: Page) => Promise<T>): Promise<T> {
  const page = await context.newPage()
  try {
    return await run(page)
  } finally {
    await page.close()
  }
}

/** Measures the first paint of a page in a new browser context over a slow connection. @returns the time of each run in milliseconds */
const measureFirstPaint = (makeContext: () => Promise<BrowserContext>, url: string): Promise<number[]> =>
  repeat(SLOW_RUNS, async () => {
    const context = await makeContext()
    try {
      return await inNewPage(context, async (page) => {
        const session = await context.newCDPSession(page)
        await session.send('Network.enable')
        await session.send('Network.emulateNetworkConditions', FAST_3G)
        await page.goto(url, { waitUntil: 'load' })
        return page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN)
      })
    } finally {
      await context.close()
    }
  })

/** Returns the number of fully visible table rows. */
const countVisibleRows = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll('tbody tr')]
    return rows.filter((row) => {
      const { left, right, top, bottom } = row.getBoundingClientRect()
      return bottom <= window.innerHeight && row.contains(document.elementFromPoint((left + right) / 2, bottom - 2)) && top >= 0
    }).length
  })

/** Returns the sum of all layout shifts since the page opened. */
const measureLayoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(sum), 500)
      }),
  )

/** Creates a browser context with a signed-in user. @param cookie the `Cookie` header of the session */
async function newContext(browser: Browser, url: string, { Cookie: cookie = '' }: Record<string, string>): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  await context.addCookies(
    cookie.split('; ').map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1), url })),
  )
  // tsx wraps functions in calls to `__name`, which does not exist in the browser.
  await context.addInitScript('globalThis.__name = (fn) => fn')
  return context
}

/** Measures all figures for the dashboard's pages. */
async function measure(browser: Browser, url: string): Promise<Figure[]> {
  const cookie = await signIn(url, EMAIL)
  const makeContext = () => newContext(browser, url, cookie)
  const context = await makeContext()
  const figures = await inNewPage(context, (page) => measureClicks(page, url, 'pages'))
  for (const [name, path, max] of [
    ['a table', '/payments', 150],
    ['the overview', '/overview', 190],
  ] as const) {
    const fresh = await makeContext()
    figures.push(
      countFigure(
        `pages: script of ${name}, compressed`,
        { atMost: max },
        await inNewPage(fresh, (page) => measureScriptSize(page, url + path)),
        'KiB',
      ),
    )
    await fresh.close()
    figures.push(timeFigure(`pages: first paint of ${name} on fast 3G`, 1_500, await measureFirstPaint(makeContext, url + path)))
  }
  await inNewPage(context, async (page) => {
    await page.goto(`${url}/payments`, { waitUntil: 'networkidle' })
    figures.push(countFigure('pages: rows in view at 1440 × 900', { atLeast: 19 }, await countVisibleRows(page), 'rows'))
  })
  let shift = 0
  for (const path of ['/overview', '/payments', '/tickets', '/customers', '/settings/keys']) {
    // Use a new context, in which the font is not cached.
    const fresh = await makeContext()
    await inNewPage(fresh, async (page) => {
      await page.goto(url + path, { waitUntil: 'networkidle' })
      shift = Math.max(shift, await measureLayoutShift(page))
    })
    await fresh.close()
  }
  figures.push(countFigure('pages: maximum layout shift after load', { atMost: 0 }, shift, 'of the screen'))
  const violations = await inNewPage(context, (page) => findViolations(page, url))
  for (const violation of violations) process.stderr.write(`${violation}\n`)
  figures.push(
    countFigure('pages: axe violations, each page in both themes at 1440, 768 and 390 px', { atMost: 0 }, violations.length, 'violations'),
  )
  await context.close()
  return figures
}

/** Starts Chromium with V8's optimizing compilers, which the tests turn off. */
const launchBrowser = () =>
  chromium.launch({ executablePath: chromiumPath(), args: LAUNCH_ARGS.filter((flag) => !flag.startsWith('--js-flags')) })

/** Measures the same clicks as `pagesBenchmark`, but with the main seller's records in the large table. */
export const largePagesBenchmark: Benchmark = {
  id: 'pages-large',
  slow: true,
  async measure({ large, cookie, records }) {
    const browser = await launchBrowser()
    const context = await newContext(browser, large.url, cookie)
    try {
      return await inNewPage(context, (page) => measureClicks(page, large.url, `pages of ${records.toLocaleString('en')} records`, 2))
    } finally {
      await browser.close()
    }
  },
}

export const isPageFigure = ({ name }: Figure) => name.startsWith('pages: ')

/** Measures the pages of the sample shop. Needs neither the large databases nor the load generator. */
export const pagesBenchmark: Benchmark = {
  id: 'pages',
  isIndependent: true,
  async measure() {
    const cluster = await openCluster()
    const url = await createEmpty(cluster.url, 'bench_pages')
    await makeShop(url)
    const product = await startProduct(url)
    const browser = await launchBrowser()
    try {
      return await measure(browser, product.url)
    } finally {
      await browser.close()
      await stop(product)
      await cluster.leave()
    }
  },
}
