/** Check-in devices: browsers that check in guests without a user account. A device's code and token are stored only as SHA-256 hashes. */
import { randomBytes } from 'node:crypto'
import { and, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { auditLog, devices, pages, sellers, users } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { instantText } from '../core/sql'
import { AccountError } from './account-error'
import { type Actor, writeAudit } from './audit'
import { lookUpAtDoor } from './door-lookups'
import { lockUser } from './lock-user'
import { nameSchema } from './name-schema'
import { hashToken, isWellFormedToken, newToken } from './token'
import { touch } from './touch'

/**
 * A device's rights in addition to scanning codes. `search` covers everything that accesses a ticket without its code. `offline` allows
 * downloading a sealed ticket list, and `names` adds the guests' names to it. `session` marks a user's own browser, which works only while
 * a user is signed in.
 */
export const DEVICE_RIGHTS = ['search', 'checkout', 'undo', 'offline', 'names', 'session'] as const
export type DeviceRight = (typeof DEVICE_RIGHTS)[number]

/** The validity periods to choose from, in days. */
export const DEVICE_DAYS = [1, 7, 30, 365] as const

/** How long a setup code can be used, in hours. */
const CODE_HOURS = 24
/** Crockford's base32 alphabet, which has no letters that look like digits. A code of twelve symbols has 60 random bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 12
const CODE = /^[0-9A-HJKMNP-TV-Z]{12}$/
/** How long a device that was revoked or has expired can still report its scans, in days. */
export const REPORT_DAYS = 30

const newCode = () => [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')

/** Formats a code for display, in groups of four characters. */
const groupCode = (code: string) => code.replace(/(.{4})(?=.)/g, '$1-')

/** Normalizes a typed code: converts it to uppercase, removes spaces and dashes, and replaces look-alike letters with digits. */
const foldCode = (typed: string) => typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')

/** The settings of a new device. */
export const deviceSchema = z.strictObject({
  name: nameSchema(64),
  /** Empty for all events. */
  pageIds: z.array(z.string()).max(100),
  rights: z.array(z.enum(DEVICE_RIGHTS)),
  days: z.union(DEVICE_DAYS.map((days) => z.literal(days))),
})
export type DeviceSettings = z.output<typeof deviceSchema>

/**
 * The maximum number of a user's own browsers that can be active devices. Each one adds entries to the audit log and to the
 * shop's device list.
 */
const MAX_PER_USER = 100

/**
 * The maximum number of times that a user's own browsers can be renamed within 24 hours. Each rename adds an entry to the audit log.
 */
const MAX_RENAMES = 100

/** Checks that a user may turn one more of their browsers into a device. @throws {AccountError} `too_many_devices` */
async function assertMayEnroll(connection: Connection, sellerId: string, userId: string): Promise<void> {
  // Serializes concurrent calls, so that they count each other's devices.
  await lockUser(connection, userId)
  const [own] = await connection.rows<{ count: number }>(sql`
    select count(*)::int as count from ${devices}
    where ${devices.sellerId} = ${sellerId} and ${devices.createdBy} = ${userId} and 'session' = any(${devices.rights})
      and ${devices.revokedAt} is null and ${devices.expiresAt} > now()`)
  if (own && own.count >= MAX_PER_USER) throw new AccountError('too_many_devices')
}

/**
 * Creates a device.
 *
 * @returns the device's ID, and the setup code, which works once within 24 hours and cannot be retrieved later
 * @throws {AccountError} `page_not_found`; for a user's own browser, also `too_many_devices`
 */
export function createDevice(
  sellerId: string,
  { name, pageIds, rights, days }: DeviceSettings,
  by: Actor,
): Promise<{ id: string; code: string }> {
  const id = newObjectId()
  const code = newCode()
  return database().transaction(async (connection) => {
    if (rights.includes('session')) await assertMayEnroll(connection, sellerId, by.userId)
    const found =
      pageIds.length === 0
        ? []
        : await connection.orm
            .select({ name: pages.name })
            .from(pages)
            .where(and(eq(pages.sellerId, sellerId), inArray(pages.id, pageIds)))
            .orderBy(pages.name)
    if (found.length !== new Set(pageIds).size) throw new AccountError('page_not_found')
    await connection.orm.insert(devices).values({
      id,
      sellerId,
      name,
      pageIds,
      rights,
      createdBy: by.userId,
      expiresAt: sql`now() + make_interval(days => ${days})`,
      codeHash: hashToken(code),
      codeExpiresAt: sql`now() + make_interval(hours => ${CODE_HOURS})`,
    })
    const changes = { deviceEvents: { after: found.map((page) => page.name) }, deviceRights: { after: rights } }
    await writeAudit(connection, { sellerId, by, action: 'device.created', subject: name, changes })
    return { id, code: groupCode(code) }
  })
}

/** `pending` means that the setup code can still be used, and `code_expired` that it expired before it was used. */
export type DeviceState = 'pending' | 'code_expired' | 'active' | 'expired' | 'revoked'

export type ListedDevice = {
  id: string
  name: string
  state: DeviceState
  /** The IDs of the events whose guests the device checks in; empty for all events. */
  pageIds: string[]
  rights: string[]
  /** The email address of the user who created it. */
  createdBy: string
  /** This time and the following ones are in ISO 8601. */
  expiresAt: string
  /** Null until the device is set up. */
  lastSeenAt: string | null
  /**
   * When the device's ticket list was last complete and up to date, how many scans were unsent when the last update started, and how far
   * the device's clock was ahead then, in milliseconds. Before the first update: null, 0 and null.
   */
  listedAt: string | null
  unsentScans: number
  clockOffsetMs: number | null
}

/** Lists a seller's devices, newest first. */
export function listDevices(sellerId: string): Promise<ListedDevice[]> {
  return database().use(({ orm }) =>
    orm
      .select({
        id: devices.id,
        name: devices.name,
        pageIds: devices.pageIds,
        rights: devices.rights,
        createdBy: users.email,
        expiresAt: instantText(devices.expiresAt),
        lastSeenAt: instantText(devices.lastSeenAt),
        listedAt: instantText(devices.listedAt),
        unsentScans: devices.unsentScans,
        clockOffsetMs: devices.clockOffsetMs,
        state: sql<DeviceState>`case when ${devices.revokedAt} is not null then 'revoked' when ${devices.expiresAt} <= now() then 'expired'
          when ${devices.enrolledAt} is not null then 'active' when ${devices.codeExpiresAt} <= now() then 'code_expired' else 'pending' end`,
      })
      .from(devices)
      .innerJoin(users, eq(users.id, devices.createdBy))
      .where(eq(devices.sellerId, sellerId))
      .orderBy(desc(devices.createdAt), desc(devices.id)),
  )
}

/** Returns the SQL condition for devices that a user has created and that can still be set up. */
export const isPendingDeviceOf = (userId: string) =>
  and(eq(devices.createdBy, userId), isNull(devices.enrolledAt), sql`${devices.codeExpiresAt} > now() and ${devices.expiresAt} > now()`)

/** Returns the SQL condition for a user's own browsers that are devices and have not expired. */
export const isOwnBrowserOf = (userId: string) =>
  and(eq(devices.createdBy, userId), sql`'session' = any(${devices.rights}) and ${devices.expiresAt} > now()`)

/** Returns how many times the user's own browsers were renamed in the last 24 hours. */
async function countRenames(connection: Connection, sellerId: string, userId: string): Promise<number> {
  const [counted] = await connection.rows<{ count: number }>(sql`
    select count(*)::int as count from ${auditLog}
    where ${auditLog.sellerId} = ${sellerId} and ${auditLog.action} = 'device.renamed' and ${auditLog.at} > now() - interval '1 day'
      and ${auditLog.recordId} in (
        select ${devices.id} from ${devices} where ${devices.sellerId} = ${sellerId} and ${devices.createdBy} = ${userId})`)
  return counted?.count ?? 0
}

/**
 * Renames a device if it is the user's own browser and neither revoked nor expired. Does nothing otherwise, or if the name is the same, or
 * if the user's browsers have been renamed 100 times in the last 24 hours.
 */
export function renameOwnBrowser(sellerId: string, id: string, name: string, by: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    // Serializes concurrent calls, so that they count each other's entries.
    await lockUser(connection, by.userId)
    const isOwn = and(eq(devices.sellerId, sellerId), eq(devices.id, id), isNull(devices.revokedAt), isOwnBrowserOf(by.userId))
    const [device] = await connection.orm.select({ name: devices.name }).from(devices).where(isOwn).for('update')
    if (!device || device.name === name) return
    if ((await countRenames(connection, sellerId, by.userId)) >= MAX_RENAMES) return
    await connection.orm.update(devices).set({ name }).where(isOwn)
    const changes = { name: { before: device.name, after: name } }
    await writeAudit(connection, { sellerId, by, action: 'device.renamed', subject: name, recordId: id, changes })
  })
}

/** Revokes a seller's devices that match a condition, including their setup codes. Returns the number of revoked devices. */
export async function revokeDevices(
  connection: Connection,
  sellerId: string,
  which: SQL | undefined,
  by: Actor | undefined,
): Promise<number> {
  const revoked = await connection.orm
    .update(devices)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(devices.sellerId, sellerId), isNull(devices.revokedAt), which))
    .returning({ name: devices.name })
  for (const { name } of revoked) await writeAudit(connection, { sellerId, by, action: 'device.revoked', subject: name })
  return revoked.length
}

/** Revokes a device, including its setup code. Returns false if the seller has no such device or it is already revoked. */
export function revokeDevice(sellerId: string, id: string, by: Actor): Promise<boolean> {
  return database().transaction(async (connection) => (await revokeDevices(connection, sellerId, eq(devices.id, id), by)) > 0)
}

/**
 * Exchanges a setup code for a token. A code works once: the update locks the row, so the second of two concurrent calls finds that the
 * code was used.
 *
 * @param typed the code, in any letter case, with or without spaces and dashes
 * @returns the token, which cannot be retrieved later, and when the device expires
 * @throws {AccountError} `device_code_ended`
 */
export async function enrollDevice(typed: string): Promise<{ token: string; expiresAt: Date }> {
  const code = foldCode(typed)
  if (!CODE.test(code)) throw new AccountError('device_code_ended')
  const token = newToken()
  return database().transaction(async (connection) => {
    const [enrolled] = await connection.orm
      .update(devices)
      .set({ enrolledAt: sql`now()`, tokenHash: hashToken(token), lastSeenAt: sql`now()` })
      .where(
        and(
          eq(devices.codeHash, hashToken(code)),
          isNull(devices.enrolledAt),
          isNull(devices.revokedAt),
          sql`${devices.codeExpiresAt} > now() and ${devices.expiresAt} > now()`,
        ),
      )
      .returning({ sellerId: devices.sellerId, name: devices.name, expiresAt: devices.expiresAt })
    if (!enrolled) throw new AccountError('device_code_ended')
    const { sellerId, name, expiresAt } = enrolled
    await writeAudit(connection, { sellerId, by: undefined, action: 'device.enrolled', subject: name })
    return { token, expiresAt: new Date(expiresAt) }
  })
}

/** A valid device with its shop. */
export type CheckInDevice = {
  id: string
  name: string
  sellerId: string
  sellerName: string
  timeZone: string
  /** Empty for all events. */
  pageIds: string[]
  rights: string[]
}

export const DEVICE_COOKIE = 'desk-check-in-device'
const COOKIE_PATTERN = new RegExp(`(?:^|; *)${DEVICE_COOKIE}=([^;]+)`)

/** Returns the device's token in a `Cookie` header, or undefined. */
export const readDeviceToken = (cookies: string | null | undefined): string | undefined => COOKIE_PATTERN.exec(cookies ?? '')?.[1]

const FIND_DEVICE = sql`
  select ${devices.id} as id, ${devices.name} as name, ${devices.pageIds} as "pageIds", ${devices.rights} as rights,
    ${sellers.id} as "sellerId", ${sellers.name} as "sellerName", ${sellers.timeZone} as "timeZone"
  from ${devices} join ${sellers} on ${sellers.id} = ${devices.sellerId}
  where ${devices.tokenHash} = ${sql.placeholder('hash')} and ${devices.revokedAt} is null and ${devices.expiresAt} > now()`

/**
 * Returns the device that a token belongs to, or undefined if the token is unknown or the device was revoked or has expired. Uses the
 * connection pool reserved for check-in.
 */
export async function findDevice(token: string): Promise<CheckInDevice | undefined> {
  if (!isWellFormedToken(token)) return undefined
  return lookUpAtDoor(token, async ({ rows }) => (await rows<CheckInDevice>(FIND_DEVICE, { hash: hashToken(token) }))[0])
}

/** A device that reports its offline scans. */
export type ReportingDevice = {
  id: string
  name: string
  sellerId: string
  /** Empty for all events. */
  pageIds: string[]
  rights: string[]
  /** ISO 8601. */
  enrolledAt: string
  /** False if the device was revoked or has expired, in which case it must delete its ticket list. */
  isValid: boolean
}

const SELECT_DEVICE = sql`
  select ${devices.id} as id, ${devices.name} as name, ${devices.sellerId} as "sellerId", ${devices.pageIds} as "pageIds", ${devices.rights} as rights,
    ${instantText(devices.enrolledAt)} as "enrolledAt", ${devices.revokedAt} is null and ${devices.expiresAt} > now() as "isValid"
  from ${devices}`

const FIND_REPORTING_DEVICE = sql`${SELECT_DEVICE} where ${devices.tokenHash} = ${sql.placeholder('hash')}
    and least(${devices.revokedAt}, ${devices.expiresAt}) > now() - make_interval(days => ${REPORT_DAYS})`

/**
 * Returns the device that a token belongs to, or undefined if the token is unknown. Also finds a device that was revoked or expired in the
 * last 30 days, so that it can still report its scans.
 */
export async function findReportingDevice(token: string): Promise<ReportingDevice | undefined> {
  if (!isWellFormedToken(token)) return undefined
  return lookUpAtDoor(token, async ({ rows }) => (await rows<ReportingDevice>(FIND_REPORTING_DEVICE, { hash: hashToken(token) }))[0])
}

/**
 * Returns a device that has been set up, no matter how long ago it was revoked or expired; undefined if the seller has none with this ID.
 */
export async function findEnrolledDevice(sellerId: string, id: string): Promise<ReportingDevice | undefined> {
  const query = sql`${SELECT_DEVICE} where ${devices.id} = ${id} and ${devices.sellerId} = ${sellerId} and ${devices.enrolledAt} is not null`
  const [device] = await database('doorAuth').query<ReportingDevice>(query)
  return device
}

type DeviceStatus = {
  /** Undefined if the device did not report them. */
  unsentScans: number | undefined
  /** How far its clock is ahead of the server's, in milliseconds. */
  clockOffsetMs: number | undefined
  /** Whether its ticket list is complete and up to date. */
  isListed: boolean
}

/** Stores the status of a device that updates its ticket list. Keeps the previous values of what is undefined or false. */
export async function storeDeviceStatus(
  sellerId: string,
  id: string,
  { unsentScans, clockOffsetMs, isListed }: DeviceStatus,
): Promise<void> {
  await database().use(({ orm }) =>
    orm
      .update(devices)
      .set({ lastSeenAt: sql`now()`, ...(isListed && { listedAt: sql`now()` }), unsentScans, clockOffsetMs })
      .where(and(eq(devices.sellerId, sellerId), eq(devices.id, id))),
  )
}

/** Records that a device was used. See `touch`. */
export const touchDevice = (sellerId: string, id: string, onError: (error: unknown) => void): void =>
  touch(
    id,
    () => sql`update ${devices} set last_seen_at = now() where ${devices.sellerId} = ${sellerId} and ${devices.id} = ${id}`,
    onError,
  )
