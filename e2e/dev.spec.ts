/** Tests on a copy of the project that `npm run dev` serves the sample shop, reloads edited code and restarts the server. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeDataFolder } from '@/testing/postgres'
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

test('npm run dev serves the sample shop, reloads edited pages and route handlers, and restarts after an edit to the server', async ({
  browser,
}) => {
  // The compiler needs a minute of CPU time, which may take ten minutes on a busy machine.
  test.setTimeout(1_800_000)
  const longTimeout = { timeout: 600_000 }
  // Start with a migrated database, because creating one takes seconds. `process.spec.ts` tests starting without one.
  const [copy, folder] = [copyProject(), await makeDataFolder()]
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
    rmSync(folder, { recursive: true, force: true })
    expect(code, dev.output()).toBe(0)
  }
})
