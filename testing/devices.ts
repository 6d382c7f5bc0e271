/** Creates check-in devices and their requests for tests, and changes stored data. */
import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { createDevice, DEVICE_COOKIE, type DeviceSettings, enrollDevice } from '@/lib/accounts/check-in-devices'
import { makeUser } from './users'

/** Returns a random scan ID. */
export const newId = () => randomBytes(16).toString('hex')

/** Adds an owner to a seller. */
export async function makeOwner(sellerId: string): Promise<{ userId: string; email: string }> {
  const email = `devices-${sellerId}@example.com`
  return { userId: await makeUser(sellerId, email, 'owner'), email }
}

/** Creates a device and sets it up. @returns its ID, token and `Cookie` header */
export async function makeDevice(
  sellerId: string,
  by: { userId: string; email: string },
  overrides: Partial<DeviceSettings> = {},
): Promise<{ id: string; cookie: string; token: string }> {
  const { id, code } = await createDevice(sellerId, { name: 'Gate 2', pageIds: [], rights: [], days: 30, ...overrides }, by)
  const { token } = await enrollDevice(code)
  return { id, token, cookie: `${DEVICE_COOKIE}=${token}` }
}

/** Backdates a device's setup and revocation by more than 30 days, so that it can no longer report its scans. */
export const backdateRevocation = (id: string) =>
  database().use(({ rows }) =>
    rows(sql`update devices set enrolled_at = now() - interval '32 days', revoked_at = now() - interval '31 days' where id = ${id}`),
  )

/** Backdates a seller's audit log by 25 hours. */
export const backdateAudit = (sellerId: string) =>
  database().use(({ rows }) => rows(sql`update audit_log set at = at - interval '25 hours' where seller_id = ${sellerId}`))

/** Adds `count` devices as if a user had set up that many browsers. @returns the devices' IDs */
export const addOwnBrowsers = async (sellerId: string, { userId }: { userId: string }, count: number): Promise<string[]> => {
  const added = await database().use(({ rows }) =>
    rows<{ id: string }>(sql`
      insert into devices (id, seller_id, name, page_ids, rights, created_by, expires_at, code_hash, code_expires_at)
      select left(md5(${sellerId} || n), 24), ${sellerId}, 'Gate', '{}', '{session}', ${userId}, now() + interval '1 day',
        sha256((${sellerId} || n)::bytea), now() from generate_series(1, ${count}::int) as n returning id`),
  )
  return added.map(({ id }) => id)
}

/** Adds offline scans in which a device refused a ticket, with corrected times 24 hours from now. */
export const addRefusedScans = (sellerId: string, ticketId: string, deviceId: string, count: number) =>
  database().use(({ rows }) => rows(insertRefusedScans(sellerId, ticketId, deviceId, count)))

/** Returns the statement that `addRefusedScans` runs. */
export const insertRefusedScans = (sellerId: string, ticketId: string, deviceId: string, count: number) => sql`
  insert into offline_scans (seller_id, id, ticket_id, actor_id, method, decision, claimed_at, corrected_at)
  select ${sellerId}, md5(n::text), ${ticketId}, ${deviceId}, 'QRSCAN', 'already_checked_in', now(), now() + interval '1 day'
  from generate_series(1, ${count}::int) as n`

/** Returns a request as the check-in page would send it. @param body sent as JSON in a POST request; if undefined, the request is a GET */
export function doorRequest(path: string, cookie: string, body?: unknown): Request {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    Cookie: cookie,
    'Sec-Fetch-Site': 'same-origin',
    ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': `${Buffer.byteLength(text)}` }),
  }
  return new Request(`http://localhost${path}`, { headers, ...(text === undefined ? {} : { method: 'POST', body: text }) })
}

/** Sets the entry policy of all events of a seller. */
export const setEntryPolicy = (sellerId: string, policy: 'single' | 'reentry' | 'multiple') =>
  database().use(({ rows }) => rows(sql`update pages set entry_policy = ${policy} where seller_id = ${sellerId}`))

/** Returns the log of changes to a seller's tickets, from which devices update their ticket lists. */
export const readTicketChanges = (sellerId: string) =>
  database().use(({ rows }) => rows(sql`select ticket_id, changed_in::text from ticket_changes where seller_id = ${sellerId} order by 1`))

/** Moves all of a seller's check-ins to 24 hours from now. */
export const postponeCheckIns = (sellerId: string) =>
  database().use(({ rows }) => rows(sql`update check_ins set at = now() + interval '1 day' where seller_id = ${sellerId}`))

/** Returns the types of a ticket's events, oldest first. */
export async function listEventTypes(sellerId: string, ticketId: string): Promise<string[]> {
  const events = await database().use(({ rows }) =>
    rows<{ type: string }>(
      sql`select type from events where seller_id = ${sellerId} and data ->> 'id' = ${ticketId} order by transaction_id, sequence`,
    ),
  )
  return events.map(({ type }) => type)
}
