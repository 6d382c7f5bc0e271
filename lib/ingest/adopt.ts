/** When a seller's own records come in after Stripe's events of the same things: what was made of the events gives way to them. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { log } from '../log'
import { type ResourceName, resources } from '../records'
import { holdAccount } from './account'
import { knownEvents } from './apply'
import { applyEvents, BadEvent, isFounded, type KindName, kindsIn, madeIn, ownIdOf } from './targets'

/** The ids of Stripe's that imported records share with a record that was made here. */
async function sharedIds(seller: string, kind: KindName, name: ResourceName, ids: string[]): Promise<string[]> {
  const { table } = resources[name]
  const pairs = await database().use(({ rows }) =>
    rows<{ gatewayId: string; made: string }>(sql`
      select imported.gateway_id as "gatewayId", made.id as made
      from ${table} as imported join ${madeIn(kind).table} as made using (seller_id, gateway_id)
      where seller_id = ${seller} and imported.id = any(${sql.param(ids)}::text[]) and made.id <> imported.id`),
  )
  return pairs.filter(({ gatewayId, made }) => made === ownIdOf(seller, gatewayId)).map(({ gatewayId }) => gatewayId)
}

/** Its events have to be here still: what they said would otherwise go with the record that was made of them. */
async function replaceMade(seller: string, kind: KindName, gatewayId: string): Promise<void> {
  await database().transaction(async (connection) => {
    await holdAccount(connection, seller)
    const events = await knownEvents(connection, seller, kind, gatewayId)
    if (!isFounded(kind, events)) return
    const { table } = madeIn(kind)
    await connection.rows(sql`delete from ${table} where seller_id = ${seller} and id = ${ownIdOf(seller, gatewayId)}`)
    await applyEvents(connection, seller, kind, gatewayId, events)
  })
}

/**
 * Makes one of two records that Stripe knows by one id: the imported one stays, brought up to date by every event that is kept, and
 * the one that was made of these events goes. Where they don't fit together, both stay, and the log says so.
 *
 * @param ids of records that have just been imported
 */
export async function adopt(seller: string, name: ResourceName, ids: string[]): Promise<void> {
  for (const kind of kindsIn(name)) {
    for (const gatewayId of await sharedIds(seller, kind, name, ids)) {
      try {
        await replaceMade(seller, kind, gatewayId)
      } catch (error) {
        if (!(error instanceof BadEvent)) throw error
        log().warn({ seller, resource: name, reason: error.message }, 'a record that was made of events stays beside the imported one')
      }
    }
  }
}
