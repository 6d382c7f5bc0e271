/** Connects a shop's Stripe account in the settings and delivers events to the server. */
import { sql } from 'drizzle-orm'
import { expect, type Page } from 'playwright/test'
import { database } from '@/db/client'
import { newObjectId } from '@/lib/core/object-id'
import { makeEvent, makeIntent, RECENT, SECRET, type StripeEvent, signed } from '@/testing/stripe'
import { makeUser, signIn } from './dashboard'

/** Signs in as a new owner and saves the signing secret in the settings. */
export async function connectStripe(page: Page, seller: string, secret = SECRET): Promise<void> {
  const email = `owner-${newObjectId()}@example.com`
  await makeUser(seller, email, 'owner')
  await signIn(page, `${process.env.TEST_SERVER_URL}/settings/stripe`, email)
  await saveSecret(page, secret)
  await expect(page.getByRole('status').filter({ hasText: 'Signing secret saved.' })).toBeVisible()
}

/** Enters a signing secret in the open form and saves it. */
export async function saveSecret(page: Page, secret: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.getByLabel('Signing secret').fill(secret)
  await page.getByRole('button', { name: 'Save' }).click()
}

/** `header` is the Stripe-Signature header; `path` is appended to the endpoint's path. */
export type Delivery = { payload: string; header?: string; path?: string; method?: string }

/** Sends a request to the server's Stripe webhook endpoint. */
export async function post(url: string, { payload, header, path = '', method = 'POST' }: Delivery) {
  const response = await fetch(`${url}/ingest/stripe${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(header === undefined ? {} : { 'stripe-signature': header }) },
    ...(method === 'GET' ? {} : { body: payload }),
    redirect: 'manual',
  })
  return { status: response.status, headers: response.headers, json: (await response.json()) as Record<string, unknown> }
}

/** Delivers a signed event and expects the server to accept it. */
export async function deliver(url: string, seller: string, event: StripeEvent): Promise<void> {
  expect((await post(url, { ...signed(event), path: `?seller=${seller}` })).status).toBe(200)
}

/** Returns an event that cannot be processed because the status of its payment intent is unknown. */
export const badEvent = (id = 'pi_bad') => makeEvent('payment_intent.processing', { ...makeIntent({ id }), status: 'in_a_new_way' }, RECENT)

/** Adds a failed event and an undecryptable signing secret to a shop. @returns the event's ID */
export async function addFailedEvent(seller: string): Promise<string> {
  const { id, type, created, ...rest } = badEvent()
  const payload = JSON.stringify({ id, type, created, ...rest })
  await database().use(async ({ rows }) => {
    await rows(sql`insert into stripe_accounts (seller_id, secret) values (${seller}, '\\x00')`)
    await rows(sql`
      insert into stripe_events (seller_id, id, type, created, links, payload, state, error, attempts)
      values (${seller}, ${id}, ${type}, ${created}, array[]::text[], ${payload}::text::json, 'failed', 'data.object.status is unknown', 1)`)
  })
  return id
}
