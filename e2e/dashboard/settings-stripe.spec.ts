/** The shop's Stripe account in the settings and on the command line: connecting it and retrying failed events. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { setSecret } from '@/lib/sync/stripe/account'
import { countEvents } from '@/lib/sync/stripe/events'
import { makeEvent, makeIntent, RECENT, SECRET } from '@/testing/stripe'
import { expect, test } from '../support/dashboard'
import { runDeskInProcess } from '../support/processes'
import { badEvent, connectStripe, deliver, saveSecret } from '../support/stripe'

/** Replaces the unknown status in the stored event, so that it can be processed. */
const repairEvent = (seller: string, id: string) =>
  database().use(({ rows }) =>
    rows(
      sql`update stripe_events set payload = replace(payload::text, 'in_a_new_way', 'processing')::json where seller_id = ${seller} and id = ${id}`,
    ),
  )

test('the secret is saved and never shown, and failed events can be retried, on a phone and on desktop', async ({
  page,
  shop,
  baseUrl,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await connectStripe(page, shop.seller)
  await expect(page.getByText(`${baseUrl}/ingest/stripe?seller=${shop.seller}`)).toBeVisible()
  await expect(page.getByText('Signing secret set.')).toBeVisible()
  await expect(page.getByText('No events yet')).toBeVisible()
  await expect(page.getByLabel('Signing secret')).toHaveValue('')
  await page.reload()
  expect(await page.content()).not.toContain(SECRET)
  await saveSecret(page, 'sk_live_not_this_one')
  await expect(page.getByText('Enter the signing secret from Stripe')).toBeVisible()
  await expect(page.getByLabel('Signing secret')).toBeFocused()

  const [first, second] = [badEvent(), badEvent('pi_bad_2')]
  await deliver(baseUrl, shop.seller, first)
  await deliver(baseUrl, shop.seller, second)
  await deliver(baseUrl, shop.seller, makeEvent('payment_intent.created', makeIntent(), RECENT))
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('row').filter({ hasText: 'evt_' })).toHaveCount(2, { timeout: 1000 })
  }).toPass()
  const row = page.getByRole('row').filter({ hasText: first.id })
  await expect(row).toContainText('payment_intent.processing')
  await expect(row).toContainText('data.object.status must be one of requires_payment_method')
  expect(await page.content()).not.toContain('CANARY')
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: `Retry ${first.id}` }).click()
  await expect(page.getByRole('status').filter({ hasText: `${first.id} failed again.` })).toBeVisible()
  await repairEvent(shop.seller, first.id)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('button', { name: `Retry ${first.id}` }).click()
  await expect(page.getByRole('status').filter({ hasText: `Processed ${first.id}.` })).toBeVisible()
  await expect(row).toHaveCount(0)
  await repairEvent(shop.seller, second.id)
  await page.getByRole('button', { name: 'Retry all' }).click()
  await expect(page.getByText('No failed events')).toBeVisible()
  await page.goto(`${baseUrl}/settings/audit`)
  await expect(page.getByText('retried failed Stripe events').first()).toBeVisible()
  await expect(page.getByText('set the Stripe signing secret')).toBeVisible()
})

test('`desk events` lists, shows and retries events', async ({ shop, baseUrl }) => {
  await setSecret(shop.seller, SECRET, undefined)
  const bad = badEvent()
  await deliver(baseUrl, shop.seller, bad)
  const run = async (...args: string[]) => {
    const finished = await runDeskInProcess(['events', ...args, '--seller', shop.seller])
    return { ...finished, json: finished.stdout === '' ? undefined : JSON.parse(finished.stdout) }
  }
  const failed = {
    sellerId: shop.seller,
    id: bad.id,
    state: 'failed',
    error: expect.stringMatching(/^data\.object\.status must be one of/),
  }
  await expect.poll(() => countEvents(shop.seller)).toMatchObject({ failed: 1 })
  expect(await run('list', '--state', 'failed')).toMatchObject({ code: 0, json: { data: [{ ...failed, attempts: 1 }] } })
  const shown = await run('show', bad.id)
  expect(shown.json.data).toMatchObject([{ ...failed, payload: { data: { object: { status: 'in_a_new_way' } } } }])
  expect(shown.stderr).not.toContain('CANARY')
  expect(await run('retry', bad.id)).toMatchObject({ code: 2, json: { data: [{ ...failed, attempts: 2 }] } })
  await repairEvent(shop.seller, bad.id)
  expect(await run('retry', '--all')).toMatchObject({ code: 0, json: { data: [{ id: bad.id, state: 'done', error: null }] } })
  expect((await shop.call('/v1/payments')).json.data).toMatchObject([{ status: 'pending' }])
  const errors: [string[], string][] = [
    [['retry', bad.id], 'None of these events has failed.'],
    [['retry'], 'Specify event IDs or --all.'],
    [['list', '--state', 'x'], 'Use one of waiting, done, failed.'],
  ]
  for (const [args, message] of errors) expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
})
