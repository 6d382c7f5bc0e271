/** Tests `npm run demo`, and, in a copy of the project, that `npm run dev` reloads edited code and restarts the server. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeTemporaryFolder } from '@/testing/postgres'
import { expect, test } from './support/api'
import { launch, stop } from './support/processes'

/**
 * Copies the project. Uses hard links for `node_modules`, because Next.js does not follow symlinks out of its root. The copy is inside the
 * project because hard links cannot cross file systems.
 *
 * @returns the path of the copy
 */
function copyProject(): string {
  mkdirSync('.data', { recursive: true })
  const copy = mkdtempSync(resolve('.data', 'dev-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  for (const file of new Set(files)) if (file) cpSync(file, join(copy, file), { force: true })
  execFileSync('cp', ['-al', 'node_modules', join(copy, 'node_modules')])
  // Let `npm run dev` know that the packages are installed.
  const stamp = join(copy, 'node_modules', '.checkout-desk')
  rmSync(stamp, { force: true })
  writeFileSync(stamp, createHash('sha256').update(readFileSync('package-lock.json')).digest('hex'))
  return copy
}

/** Replaces the first occurrence of `from`, which must exist, in a file in the copy. */
function edit(copy: string, file: string, from: string, to: string): void {
  const text = readFileSync(join(copy, file), 'utf8')
  expect(text, file).toContain(from)
  writeFileSync(join(copy, file), text.replace(from, to))
}

// The tests share a folder, because creating its database and loading the sample shop take seconds.
test.describe.configure({ mode: 'serial' })
let folder: string
test.beforeAll(async () => {
  folder = await makeTemporaryFolder()
})
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the demo prints working commands, serves the API reference, stops the server and database on Ctrl-C, and can be run again', async ({
  page,
}) => {
  for (const start of ['first', 'second']) {
    const env = { DATABASE_URL: '', DATA_DIR: folder, NEXTAUTH_SECRET: '', PORT: '0', HOST: '127.0.0.1' }
    const demo = launch(['scripts/demo.mjs'], env)
    await demo.waitForOutput(/Press Ctrl-C to stop/)
    const lines = demo
      .output()
      .split('\n')
      .filter((line) => line.trim().startsWith('curl '))
    const responses = lines.map((line) => JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' })) as Record<string, unknown>)
    expect(responses).toMatchObject([{ total: 2000, data: [{}, {}] }, { success: true }])
    expect(demo.output().includes('Sample shop'), start).toBe(start === 'first')
    expect(demo.output()).not.toContain('rejected')
    const [, url] = await demo.waitForOutput(/at {2}(http\S+)/)
    expect((await fetch(`${url}/sign-in`)).status).toBe(200)
    const docs = await fetch(`${url}/docs`)
    expect([docs.status, await docs.text()]).toEqual([200, expect.stringContaining('>Payments</h2>')])
    if (start === 'first') {
      // NEXTAUTH_URL is not set, so the page uses the request's host.
      await page.goto(`${url}/docs`, { waitUntil: 'networkidle' })
      await expect(page.getByRole('heading', { name: 'Payments' }).first()).toBeVisible()
    }
    expect(await stop(demo, 'SIGINT')).toBe(0)
    expect(demo.output()).toContain('Stopped the server and the database.')
    expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false)
  }
})

test('npm run dev serves the sample shop, reloads edited pages and route handlers, and restarts after an edit to the server', async ({
  browser,
}) => {
  // The compiler needs a minute of CPU time, which may take ten minutes on a busy machine.
  test.setTimeout(1_800_000)
  const longTimeout = { timeout: 600_000 }
  const copy = copyProject()
  const env = { DATABASE_URL: '', DATA_DIR: folder, PORT: '0', NODE_ENV: undefined }
  const dev = launch([join(copy, 'scripts', 'dev.mjs')], env)
  try {
    await dev.waitForOutput(/Press Ctrl-C to stop/)
    const [, url = ''] = await dev.waitForOutput(/is running at {2}(http:\S+)/)
    const [, key] = await dev.waitForOutput(/API key +(\S+)/)
    const countPayments = async () => {
      const response = await fetch(`${url}/v1/payments?limit=1`, { headers: { Authorization: `Bearer ${key}` } })
      return ((await response.json()) as { total: number }).total
    }
    expect(await countPayments()).toBe(2000)

    // Requests are checked as in production.
    const unknown = await fetch(`${url}/%zz`)
    expect([unknown.status, ((await unknown.json()) as { code: string }).code]).toEqual([400, 'path_invalid'])

    const page = await browser.newPage()
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await page.goto(`${url}/sign-in`, longTimeout)
    const field = page.locator('input[type=email]')
    // Wait until the page is hydrated, because React would clear the field otherwise.
    await expect.poll(() => field.evaluate((node) => Object.keys(node).some((name) => name.startsWith('__react'))), longTimeout).toBe(true)
    await field.fill('typed@example.com')
    edit(copy, 'app/sign-in/page.tsx', '<main ', '<main data-edited="yes" ')
    await expect(page.locator('main[data-edited]')).toBeVisible(longTimeout)
    // The page was updated in place, so the field keeps its text.
    expect(await field.inputValue()).toBe('typed@example.com')
    expect(errors).toEqual([])
    await page.close()

    const readHealth = async () => ((await (await fetch(`${url}/healthz`)).json()) as { status: string }).status
    // Request the route before the edit, because a route that is first requested after an edit may run outdated code from shared modules.
    expect(await readHealth()).toBe('ok')
    edit(copy, 'lib/http/health-routes.ts', '"status":"ok"', '"status":"edited"')
    await expect.poll(readHealth, longTimeout).toBe('edited')

    edit(copy, 'server.ts', '/** ', '/** Edited. ')
    await dev.waitForOutput(/Restarted\./)
    expect(await countPayments()).toBe(2000)
  } finally {
    const code = await stop(dev, 'SIGINT')
    rmSync(copy, { recursive: true, force: true })
    expect(code, dev.output()).toBe(0)
  }
})
