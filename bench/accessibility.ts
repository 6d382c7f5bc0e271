/** Checks the dashboard, the check-in page and the public pages with axe-core, in both themes and at three widths. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright/test'
import { AREAS_BY_ROLE } from '@/app/(dashboard)/settings/areas'
import { resources } from '@/lib/catalog'

const WIDTHS = [1440, 768, 390]
const THEMES = ['light', 'dark'] as const
const TABLES = [...Object.keys(resources), 'tickets']

type Result = { id: string; nodes: { html: string }[] }
declare const axe: { run(options: object): Promise<{ violations: Result[] }> }

/** Returns the paths to check: all tables, one record per table, and other pages. */
async function listPaths(page: Page, url: string): Promise<string[]> {
  const records: string[] = []
  for (const table of TABLES) {
    await page.goto(`${url}/${table}`, { waitUntil: 'networkidle' })
    const href = await page.locator('a[data-row]').first().getAttribute('href')
    if (href === null) throw new Error(`The table of ${table} is empty.`)
    records.push(href)
  }
  const settings = AREAS_BY_ROLE.owner.map((area) => `/settings/${area}`)
  return [
    '/overview',
    ...TABLES.map((table) => `/${table}`),
    ...records,
    '/payments?status=failed&period=last_month',
    '/tickets/refused',
    ...settings,
    '/settings/devices/conflicts',
    '/door',
    '/docs',
    '/',
  ]
}

/**
 * Returns the violations, each with its page, width and theme.
 *
 * @param page a page with a signed-in owner
 */
export async function findViolations(page: Page, url: string): Promise<string[]> {
  const script = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const found: string[] = []
  for (const path of await listPaths(page, url)) {
    await page.goto(url + path, { waitUntil: 'networkidle' })
    await page.evaluate(script)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme })
        const violations = await page.evaluate(async () => {
          // Wait for animations to end, because colors are not final until then.
          const ended = Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
          await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000))])
          return (await axe.run({ resultTypes: ['violations'] })).violations
        })
        for (const { id, nodes } of violations)
          found.push(`${path}, ${width} px, ${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`)
      }
    }
  }
  return found
}
