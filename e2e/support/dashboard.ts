/** The dashboard as a test uses it: a shop of its own, someone who signs in, and eyes for what must not be there. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type BrowserContext, test as base, type Page } from 'playwright/test'
import type { Role } from '@/lib/accounts/roles'
import { addUser } from '@/lib/accounts/users'
import { type Api, expect, makeApi } from './api'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const PASSWORD = 'correct horse battery'

export type Shop = Api & {
  /** Adds a user; answers the e-mail address. */
  user(role: Role): Promise<string>
}

let users = 0

export const newAddress = () => `2001:db8::${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`

export const test = base.extend<{ shop: Shop; baseUrl: string; signedIn: Page }>({
  // An address that no other test signs in from.
  extraHTTPHeaders: async ({ browserName: _ }, use) => use({ 'x-forwarded-for': newAddress() }),
  baseUrl: async ({ browserName: _ }, use) => use(String(process.env.TEST_URL_SERVER)),
  shop: async ({ baseUrl }, use) => {
    const api = await makeApi(baseUrl, 'Europe/Amsterdam')
    await use({
      ...api,
      user: async (role) => {
        users += 1
        const email = `${role}-${users}-${api.seller}@example.com`
        await addUser(api.seller, { email, password: PASSWORD, role })
        return email
      },
    })
  },
  /** An owner's browser, signed in; at the end nothing may have gone wrong in it unseen. */
  signedIn: async ({ shop, page, baseUrl }, use) => {
    const complaints = watch(page, baseUrl)
    await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
    await use(page)
    expect(complaints).toEqual([])
  },
})

/** Collects errors of the console and requests that leave the server's own origin. */
export function watch(page: Page, baseUrl: string): string[] {
  const complaints: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(baseUrl) && !request.url().startsWith('data:')) complaints.push(`foreign: ${request.url()}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

/** Goes to a page that asks to sign in, does so, and is back there. */
export async function signIn(page: Page, url: string, email: string, password = PASSWORD): Promise<void> {
  await page.goto(url)
  await fillIn(page, email, password)
  await page.waitForURL(url)
}

export async function fillIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** No violation that axe-core knows of, and no need to scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe)
  const violations = await page.evaluate(
    'axe.run().then((result) => result.violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html).join(" ")))',
  )
  expect(violations).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
}

export type { BrowserContext, Page }
export { expect }
