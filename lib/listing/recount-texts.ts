/** Compares the compact tables of searched texts with the records, and optionally repairs differences. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { recordCounts, sellers } from '@/db/schema'
import { type ResourceName, resources } from '../catalog'
import type { Resource } from '../catalog/resource'

type TextDifference = {
  resource: ResourceName
  sellerId: string
  /** The number of records whose text is missing, extra or different. */
  texts: number
}

/** Selects the texts that the compact table should contain. */
function selectExpected({ table }: Resource): SQL {
  const copies = [
    ...('status' in table
      ? [
          sql`${table.status} collate "C" as status, decode(${table.pageId}, 'hex') as page_id, ${table.amount} as amount`,
          sql`left(desk_upper(${table.currency}), 64) collate "C" as currency, ${table.livemode} as livemode, left(${table.method}, 64) collate "C" as method`,
        ]
      : []),
    ...('names' in table ? [sql`${table.names} collate "C" as names`] : []),
    ...('uses' in table ? [sql`${table.uses} as uses`] : []),
  ].map((columns) => sql`, ${columns}`)
  return sql`
    select ${sellers.number} as seller, decode(${table.id}, 'hex') as id, ${table.createdAt} as created_at, ${table.search} collate "C" as text${sql.join(copies)}
    from ${table} join ${sellers} on ${sellers.id} = ${table.sellerId}`
}

/** Selects the keys of the texts that differ, in one snapshot. */
function differences(resource: Resource): SQL {
  const stored = sql`select * from ${sql.identifier(`${resource.name}_texts`)}`
  return sql`
    select distinct seller, id from (
      (${selectExpected(resource)} except all ${stored}) union all (${stored} except all ${selectExpected(resource)})
    ) as difference`
}

/** Returns the statements that rewrite the texts listed in `wrong_texts`. They lock the records, so that no writer changes them. */
function repairStatements(resource: Resource): SQL[] {
  const { name, table } = resource
  const texts = sql.identifier(`${name}_texts`)
  return [
    sql`select 1 from ${table} join ${sellers} on ${sellers.id} = ${table.sellerId} join wrong_texts on wrong_texts.seller = ${sellers.number}
      and encode(wrong_texts.id, 'hex') = ${table.id} order by ${table.sellerId}, ${table.id} for update of ${sql.identifier(name)}`,
    sql`delete from ${texts} as text using wrong_texts where text.seller = wrong_texts.seller and text.id = wrong_texts.id`,
    sql`insert into ${texts} select text.* from (${selectExpected(resource)}) as text join wrong_texts using (seller, id)
      where not exists (select from ${texts} as stored where stored.seller = text.seller and stored.id = text.id)`,
    // Invalidates the sellers' cached searches.
    sql`insert into ${recordCounts} as stored (seller_id, resource, page_id, status, slot, total, changes)
      select ${sellers.id}, ${name}, '', '', (select desk_slot()), 0, 1 from ${sellers} where ${sellers.number} in (select seller from wrong_texts)
      on conflict (seller_id, resource, page_id, status, slot) do update set changes = stored.changes + 1`,
  ]
}

/**
 * Compares the searched texts with the records. Blocks only writers of records whose text is repaired.
 *
 * @param shouldRepair whether to repair differences
 * @returns the number of differences per resource and seller, without zeros
 */
export async function recountTexts(shouldRepair: boolean): Promise<TextDifference[]> {
  const differing: TextDifference[] = []
  for (const [name, resource] of Object.entries(resources) as [ResourceName, Resource][]) {
    const found = await database().transaction(async ({ rows }) => {
      await rows(sql`create temporary table wrong_texts on commit drop as ${differences(resource)}`)
      const wrong = await rows<{ sellerId: string; texts: number }>(sql`
        select ${sellers.id} as "sellerId", count(*)::int as texts from wrong_texts join ${sellers} on ${sellers.number} = seller group by 1 order by 1`)
      if (shouldRepair && wrong.length > 0) for (const statement of repairStatements(resource)) await rows(statement)
      return wrong
    })
    differing.push(...found.map((difference) => ({ resource: name, ...difference })))
  }
  return differing
}
