/** Serves a sample shop: the part of `npm run demo` that runs after the build. `npm run dev` uses the same setup. */

import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { createKey } from '@/lib/accounts/api-keys'
import { createSeller, findOldestSeller } from '@/lib/accounts/sellers'
import { verifyKey } from '@/lib/accounts/verify-key'
import { connect } from '@/lib/core/connect'
import { env } from '@/lib/core/env'
import { importRecords } from '@/lib/sync/import/import'
import { printMessage } from './command'
import { runUntilStopped, start } from './commands/serve'
import { makeSample } from './sample/records'
import { scanRefusedTickets } from './sample/scan-refused-tickets'
import { SHOP } from './sample/shop'

/** The credentials for the sample shop, stored in the data directory so that they can be printed again at the next start. */
type Credentials = { email?: string; password?: string; key?: string }

/** Runs a step, and prints its name and duration. */
export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>

const credentialsFile = () => join(env().DATA_DIR, 'demo.json')

/** Returns the stored credentials, or an empty object if there are none. */
async function readCredentials(): Promise<Credentials> {
  const text = await readFile(credentialsFile(), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  return JSON.parse(text) as Credentials
}

const writeCredentials = (credentials: Credentials) => writeFile(credentialsFile(), JSON.stringify(credentials), { mode: 0o600 })

/** Creates the sample shop's seller, imports its records, and scans some tickets. */
async function loadSample(): Promise<void> {
  const password = randomBytes(9).toString('base64url')
  const { sellerId, userId } = await createSeller({ ...SHOP, password })
  await writeCredentials({ email: SHOP.email, password })
  const sample = makeSample(new Date())
  for (const [resource, lines] of sample) {
    const input = Readable.from(lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)))
    const { written, rejected } = await importRecords({
      resource,
      seller: sellerId,
      input,
      onReject: ({ line, path, reason }) => {
        printMessage(`      ${resource} ${line}: ${path} ${reason}`)
      },
    })
    printMessage(`      ${String(written).padStart(5)} ${resource}${rejected > 0 ? `, ${rejected} rejected` : ''}`)
  }
  await scanRefusedTickets(sellerId, userId, sample.find(([resource]) => resource === 'tickets')?.[1] ?? [])
}

/** Returns the credentials with a valid API key: the stored one, or a new one if none is stored or the stored one is no longer valid. */
async function ensureValidKey(credentials: Credentials): Promise<Credentials> {
  if (credentials.key && (await verifyKey(credentials.key))) return credentials
  const seller = await findOldestSeller()
  if (!seller) return credentials
  const { key } = await createKey({ sellerId: seller.id, name: 'Demo', scopes: ['full'] })
  const updated = { ...credentials, key }
  await writeCredentials(updated)
  return updated
}

/** Returns the code of a seller's ticket that is not checked in yet, for the printed example; undefined if there is none. */
async function findUnusedCode(sellerId: string): Promise<string | undefined> {
  const [ticket] = await database().use(({ rows }) =>
    rows<{ code: string }>(sql`
      select t.qr_code as code from tickets t join pages p on p.seller_id = t.seller_id and p.id = t.page_id
      where t.seller_id = ${sellerId} and t.status = 'PAID' and t.check_in_status = 'UNCHECKEDIN' and p.entry_policy = 'single'
      order by t.created_at desc limit 1`),
  )
  return ticket?.code
}

/** Prints the URL, the credentials, the API key, and requests to try. */
export async function announce(url: string, { email, password, key }: Credentials): Promise<void> {
  // The examples use the key, so they need a ticket of its seller.
  const principal = key === undefined ? undefined : await verifyKey(key)
  const code = principal && (await findUnusedCode(principal.sellerId))
  const header = `-H 'Authorization: Bearer ${key}'`
  printMessage(`
  Checkout Desk is running at  ${url}

  Email      ${email ?? '(the one you chose)'}
  Password   ${password ?? '(the one you chose)'}
  API key    ${key}

  curl -s '${url}/v1/payments?limit=2' ${header}${code ? `\n  curl -s -X POST '${url}/v1/tickets/validate/${code}' ${header}` : ''}

  Press Ctrl-C to stop the server and the database.
`)
}

/** Opens the configured database, loads the sample shop if there are no sellers, runs `work`, and closes the database afterward. */
export async function withSampleShop(step: Step, work: (credentials: Credentials) => Promise<void>): Promise<void> {
  const opened = await step('Database', () => connect())
  try {
    if ((await findOldestSeller()) === undefined) await step('Sample shop', loadSample)
    await work(await ensureValidKey(await readCredentials()))
  } finally {
    const hasStopped = await opened.close()
    printMessage(
      hasStopped ? '\n  Stopped the server and the database.' : '\n  Stopped the server. Another process still uses the database.',
    )
  }
}

/** Serves the sample shop until the process is stopped. @param step prints names and durations in the same format as the bootstrap */
export const demo = (step: Step): Promise<void> =>
  withSampleShop(step, async (credentials) => {
    const running = await step('Server', start)
    const stopped = runUntilStopped(running)
    await announce(running.url, credentials)
    await stopped
  })
