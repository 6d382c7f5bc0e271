/** Serves a sample shop: the part of `npm run demo` that runs after the build. `npm run dev` uses the same setup. */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { createKey } from '@/lib/accounts/api-keys'
import { createSeller, findOldestSeller } from '@/lib/accounts/sellers'
import { verifyKey } from '@/lib/accounts/verify-key'
import { connect } from '@/lib/core/connect'
import { env } from '@/lib/core/env'
import { toFileError, writePrivateFile } from '@/lib/core/private-file'
import { importRecords } from '@/lib/sync/import/import'
import { CommandError, InterruptedError, printMessage, stopIfInterrupted } from './command'
import { runUntilStopped, start } from './commands/serve'
import { makeSample } from './sample/records'
import { scanRefusedTickets } from './sample/scan-refused-tickets'
import { SHOP } from './sample/shop'

/** The credentials for the sample shop, stored in the data directory so that they can be printed again at the next start. */
const credentialsSchema = z.object({
  email: z.string().optional(),
  password: z.string().optional(),
  key: z.string().optional(),
  /** The time that the sample's records are generated for. Removed once all of them are loaded. */
  loading: z.iso.datetime().optional(),
})
type Credentials = z.output<typeof credentialsSchema>

/** Runs a step, and prints its name and duration. */
export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>

const credentialsFile = () => join(env().DATA_DIR, 'demo.json')

/**
 * Returns the stored credentials, or an empty object if there are none.
 *
 * @throws {CommandError} if the file is damaged
 * @throws {FileError} if it cannot be read
 */
export async function readCredentials(): Promise<Credentials> {
  const file = credentialsFile()
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw toFileError(error, 'read', file)
  })
  try {
    return credentialsSchema.parse(JSON.parse(text))
  } catch {
    throw new CommandError(
      `${file} is damaged. Delete it and run the command again. This creates a new API key. If you do not know the password, set a new one: \`npm run desk -- user password --help\`.`,
    )
  }
}

async function writeCredentials(credentials: Credentials): Promise<void> {
  await mkdir(env().DATA_DIR, { recursive: true })
  await writePrivateFile(credentialsFile(), Readable.from([JSON.stringify(credentials)]))
}

/** The IDs of the sample shop's seller and its owner. */
type Owner = { sellerId: string; userId: string }

async function findOwner(): Promise<Owner | undefined> {
  const [owner] = await database().query<Owner>(sql`
    select s.id as "sellerId", u.id as "userId" from sellers s join users u on u.seller_id = s.id
    where s.name = ${SHOP.name} and u.email = ${SHOP.email} order by s.created_at limit 1`)
  return owner
}

/**
 * Creates the sample shop's seller, imports its records, and scans some tickets. If that is interrupted, the next start completes it, with
 * the same records.
 *
 * @param stored the stored credentials
 * @param owner the seller and the user that an interrupted start has created
 */
async function loadSample(stored: Credentials, owner: Owner | undefined): Promise<void> {
  const { password = randomBytes(9).toString('base64url'), loading = new Date().toISOString() } = stored.loading ? stored : {}
  const credentials = { email: SHOP.email, password }
  // Stored first, because otherwise no one could sign in if the process ended after the seller was created.
  await writeCredentials({ ...credentials, loading })
  const { sellerId, userId } = owner ?? (await createSeller({ ...SHOP, password }))
  const sample = makeSample(new Date(loading))
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
  await writeCredentials(credentials)
}

/** Loads the sample shop if there are no sellers, or an earlier start did not complete it. */
async function ensureSample(step: Step): Promise<void> {
  const stored = await readCredentials()
  const owner = stored.loading ? await findOwner() : undefined
  if (owner || (await findOldestSeller()) === undefined) await step('Sample shop', () => loadSample(stored, owner))
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
  const [ticket] = await database().query<{ code: string }>(sql`
    select t.qr_code as code from tickets t join pages p on p.seller_id = t.seller_id and p.id = t.page_id
    where t.seller_id = ${sellerId} and t.status = 'PAID' and t.check_in_status = 'UNCHECKEDIN' and p.entry_policy = 'single'
    order by t.created_at desc limit 1`)
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

/** A server that is running: its URL, and a promise that resolves once it has been stopped. */
export type SampleServer = { url: string; stopped: Promise<void> }

/**
 * Opens the configured database, loads the sample shop if there are no sellers, starts a server, and closes the database once the server
 * has been stopped.
 *
 * @param step prints names and durations in the same format as the bootstrap
 * @param serve starts the server. Its AbortSignal is aborted if the start is interrupted
 * @param note a message to print after the credentials
 */
export async function serveSampleShop(
  step: Step,
  serve: (interrupted: AbortSignal) => Promise<SampleServer>,
  note?: string,
): Promise<void> {
  const start = async (interrupted: AbortSignal) => {
    const opened = await step('Database', () => connect())
    const close = async () => {
      const hasStopped = await opened.close()
      printMessage(
        hasStopped ? '\n  Stopped the server and the database.' : '\n  Stopped the server. Another process still uses the database.',
      )
    }
    try {
      await ensureSample(step)
      const credentials = await ensureValidKey(await readCredentials())
      return { close, credentials, serving: await serve(interrupted) }
    } catch (error) {
      await close()
      throw error
    }
  }
  const started = await stopIfInterrupted(start, true).catch((error: unknown) => {
    if (!(error instanceof InterruptedError)) throw error
    printMessage('\n  Stopped.')
  })
  if (!started) return
  const { close, credentials, serving } = started
  try {
    await announce(serving.url, credentials)
    if (note !== undefined) printMessage(note)
    await serving.stopped
  } finally {
    await close()
  }
}

/** Serves the sample shop until the process is stopped. */
export const demo = (step: Step): Promise<void> =>
  serveSampleShop(step, async () => {
    const running = await step('Server', start)
    return { url: running.url, stopped: runUntilStopped(running) }
  })
