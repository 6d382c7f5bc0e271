/** `npm run demo`, once its packages are there: a sample shop, served. */

import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { createKey } from '@/lib/accounts/api-keys'
import { createSeller, firstSeller } from '@/lib/accounts/sellers'
import { verifyKey } from '@/lib/accounts/verify-key'
import { connect } from '@/lib/core/connect'
import { env } from '@/lib/core/env'
import { importRecords } from '@/lib/sync/import/import'
import { say } from './command'
import { start, untilStopped } from './commands/serve'
import { makeSample } from './sample/records'
import { SHOP } from './sample/shop'

/** Kept in the data folder, so that the next start can print them again: they open a sample, made on this machine. */
type Access = { email?: string; password?: string; key?: string }

/** Says which step it is at, and how long it took. */
export type Step = <T>(what: string, work: () => Promise<T>) => Promise<T>

const accessFile = () => join(env().DATA_DIR, 'demo.json')

async function readAccess(): Promise<Access> {
  const text = await readFile(accessFile(), 'utf8').catch(() => '{}')
  return JSON.parse(text) as Access
}

const writeAccess = (access: Access) => writeFile(accessFile(), JSON.stringify(access), { mode: 0o600 })

async function loadSample(): Promise<void> {
  const password = randomBytes(9).toString('base64url')
  const { sellerId } = await createSeller({ ...SHOP, password })
  await writeAccess({ email: SHOP.email, password })
  const now = new Date()
  for (const [resource, lines] of makeSample(now)) {
    const input = Readable.from(lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)))
    const { written, rejected } = await importRecords({
      resource,
      seller: sellerId,
      input,
      onReject: ({ line, path, reason }) => {
        say(`      ${resource} ${line}: ${path} ${reason}`)
      },
    })
    say(`      ${String(written).padStart(5)} ${resource}${rejected > 0 ? `, ${rejected} refused` : ''}`)
  }
}

/** A key that works: the kept one, or a new one where that was revoked or the file is gone. */
async function workingKey(access: Access): Promise<Access> {
  if (access.key && (await verifyKey(access.key))) return access
  const seller = await firstSeller()
  if (!seller) return access
  const { key } = await createKey({ sellerId: seller.id, name: 'Demo', scopes: ['full'] })
  const next = { ...access, key }
  await writeAccess(next)
  return next
}

/** The code of a ticket that has not been let in yet, to try the door with. */
async function codeToTry(): Promise<string | undefined> {
  const [ticket] = await database().use(({ rows }) =>
    rows<{ code: string }>(sql`
      select t.qr_code as code from tickets t join pages p on p.seller_id = t.seller_id and p.id = t.page_id
      where t.status = 'PAID' and t.check_in_status = 'UNCHECKEDIN' and p.entry_policy = 'single'
      order by t.created_at desc limit 1`),
  )
  return ticket?.code
}

function announce(url: string, { email, password, key }: Access, code: string | undefined): void {
  const header = `-H 'Authorization: Bearer ${key}'`
  say(`
  Checkout Desk is at  ${url}

  E-mail     ${email ?? 'as you set it'}
  Password   ${password ?? 'as you set it'}
  API key    ${key}

  curl -s '${url}/v1/payments?limit=2' ${header}${code ? `\n  curl -s -X POST '${url}/v1/tickets/validate/${code}' ${header}` : ''}

  Ctrl-C stops everything.
`)
}

/** @param step from the bootstrap, which has taken the steps before */
export async function demo(step: Step): Promise<void> {
  const opened = await step('Database', () => connect())
  try {
    if ((await firstSeller()) === undefined) await step('Sample shop', loadSample)
    const access = await workingKey(await readAccess())
    const running = await step('Server', start)
    const stopped = untilStopped(running)
    announce(running.url, access, await codeToTry())
    await stopped
  } finally {
    const stopped = await opened.close()
    say(stopped ? '\n  Stopped, the database too.' : '\n  Stopped. The database goes on, for another process uses it.')
  }
}
