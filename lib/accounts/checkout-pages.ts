/** Lists, adds and edits a seller's checkout pages (products and events). */
import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { pages } from '@/db/schema'
import { capacity, type EntryPolicy, entryPolicy, hasOrderedTimes, withOrderedTimes } from '../catalog/pages'
import { instant } from '../catalog/shapes'
import { newObjectId } from '../core/object-id'
import { instantText } from '../core/sql'
import { AccountError } from './account-error'
import { type Actor, changesBetween, writeAudit } from './audit'
import { nameSchema } from './name-schema'

export type CheckoutPage = {
  id: string
  name: string
  entryPolicy: EntryPolicy
  /** ISO 8601 timestamps; null if unknown. */
  startsAt: string | null
  endsAt: string | null
  /** The maximum number of people inside; null if unlimited. */
  capacity: number | null
  /** Whether devices may admit guests offline, whether their ticket lists then contain guest names, and whether names can be searched. */
  offlineAdmission: boolean
  offlineNames: boolean
  offlineSearch: boolean
}

export type NamedPage = Pick<CheckoutPage, 'id' | 'name'>

const { id, name, entryPolicy: policy, startsAt, endsAt, capacity: places, offlineAdmission, offlineNames, offlineSearch } = pages
const instants = { startsAt: instantText(startsAt), endsAt: instantText(endsAt) }
const columns = { id, name, entryPolicy: policy, ...instants, capacity: places, offlineAdmission, offlineNames, offlineSearch }

/** Lists a seller's checkout pages, sorted by name. */
export function listCheckoutPages(seller: string): Promise<CheckoutPage[]> {
  return database().use(({ orm }) => orm.select(columns).from(pages).where(eq(pages.sellerId, seller)).orderBy(pages.name, pages.id))
}

/** Returns the names of checkout pages by ID. */
export const toPageNames = (checkoutPages: readonly NamedPage[]) => new Map(checkoutPages.map((page) => [page.id, page.name]))

/** The editable members of a checkout page. The database has defaults for those that are optional. */
const members = z.strictObject({
  name: nameSchema(200),
  entryPolicy,
  startsAt: instant.nullable().optional(),
  endsAt: instant.nullable().optional(),
  capacity: capacity.nullable().optional(),
  offlineAdmission: z.boolean().optional(),
  offlineNames: z.boolean().optional(),
  offlineSearch: z.boolean().optional(),
})

export const checkoutPageSchema = withOrderedTimes(members)
export const checkoutPageChangesSchema = withOrderedTimes(members.partial())
type CheckoutPageInput = z.input<typeof checkoutPageSchema>

const toOnOff = (isOn: boolean) => (isOn ? 'on' : 'off')

/** Default values, which the audit log omits when a checkout page is added. */
const DEFAULTS: Record<string, string> = { offlineAdmission: 'on', offlineNames: 'on', offlineSearch: 'off' }

/** Converts the members of a checkout page to values for the audit log. */
export const toAuditValues = ({
  name,
  entryPolicy,
  startsAt = null,
  endsAt = null,
  capacity = null,
  offlineAdmission = true,
  offlineNames = true,
  offlineSearch = false,
}: CheckoutPageInput) => ({
  name,
  entryPolicy,
  startsAt,
  endsAt,
  capacity: capacity === null ? null : String(capacity),
  offlineAdmission: toOnOff(offlineAdmission),
  offlineNames: toOnOff(offlineNames),
  offlineSearch: toOnOff(offlineSearch),
})

/** Adds a checkout page. Returns its ID. */
export function addCheckoutPage(seller: string, page: CheckoutPageInput, by?: Actor): Promise<string> {
  const id = newObjectId()
  return database().transaction(async (connection) => {
    // Truncated to milliseconds, because the API returns times with that precision and date filters compare them.
    await connection.orm.insert(pages).values({ sellerId: seller, id, createdAt: sql`date_trunc('milliseconds', now())`, ...page })
    const { name: _, ...members } = toAuditValues(page)
    const changes = Object.fromEntries(
      Object.entries(members).flatMap(([member, after]) => (after === null || after === DEFAULTS[member] ? [] : [[member, { after }]])),
    )
    await writeAudit(connection, { sellerId: seller, by, action: 'page.added', subject: page.name, changes })
    return id
  })
}

/**
 * Edits a checkout page. Omitted members keep their values. A new entry policy takes effect with the next scan.
 *
 * @returns false if the seller has no such checkout page
 * @throws {AccountError} `page_times_invalid` if a new time would make it end before it starts
 */
export function updateCheckoutPage(seller: string, id: string, next: Partial<CheckoutPageInput>, by?: Actor): Promise<boolean> {
  return database().transaction(async (connection) => {
    const { orm } = connection
    const isTarget = and(eq(pages.sellerId, seller), eq(pages.id, id))
    const [before] = await orm.select(columns).from(pages).where(isTarget).for('no key update')
    if (!before) return false
    const after = { ...before, ...next }
    const changes = changesBetween(toAuditValues(before), toAuditValues(after))
    if (!changes) return true
    // Someone else may have changed the other time since the form was opened.
    if ((changes.startsAt || changes.endsAt) && !hasOrderedTimes(after)) throw new AccountError('page_times_invalid')
    await orm.update(pages).set(next).where(isTarget)
    await writeAudit(connection, { sellerId: seller, by, action: 'page.changed', subject: before.name, changes })
    return true
  })
}
