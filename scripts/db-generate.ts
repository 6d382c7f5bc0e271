/** npm run db:generate [-- --name NAME]: generates the next migration from db/schema, adding the SQL that drizzle cannot express. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import * as schema from '@/db/schema'
import { resources } from '@/lib/catalog'
import { eventPrefix, type Resource } from '@/lib/catalog/resource'

const FOLDER = 'db/migrations'
const CHECKSUMS = `${FOLDER}/checksums.json`

type Journal = { entries: { tag: string }[] }

const read = (file: string) => readFileSync(file, 'utf8')
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Returns the statement that attaches a table's triggers, exactly as it appears in migrations. */
function toTriggerCall({ name, search, gatewayId }: Resource): string {
  const gateway = gatewayId === undefined ? '' : `, gateway_id => ${quote(gatewayId)}`
  return `SELECT desk_attach_record_triggers(${quote(name)}, searched => ${quote(`{${Object.keys(search).join(',')}}`)}${gateway});`
}

/** Returns the SQL that a new record table needs in addition to its columns: storage settings and triggers. */
function toExtraSql(resource: Resource): string {
  const { name, label, statusEvents = [] } = resource
  return `--> statement-breakpoint
ALTER TABLE "${name}" SET (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
${toTriggerCall(resource)}
--> statement-breakpoint
SELECT desk_attach_event_triggers('${name}', ${quote(eventPrefix({ label }))}, ${quote(`{${statusEvents.join(',')}}`)});
`
}

/** Returns a migration with the additional SQL for each record table that it creates, unless it already has that SQL. */
function addExtraSql(migration: string): string {
  if (migration.includes('desk_attach_record_triggers(')) return migration
  const added = (Object.values(resources) as Resource[]).filter(({ name }) => migration.includes(`CREATE TABLE "${name}" (`))
  return added.length === 0 ? migration : `${migration.trimEnd()}\n${added.map(toExtraSql).join('')}`
}

const missing = Object.values(schema)
  .filter((table) => is(table, PgTable) && 'record' in table && 'gatewayId' in table)
  .filter((table) => !(Object.values(resources) as Resource[]).some((resource) => resource.table === table))
if (missing.length > 0) {
  const names = missing.map((table) => getTableName(table as PgTable)).join(', ')
  process.stderr.write(`lib/catalog has no resource for ${names}. Define the resource first: the triggers are generated from it.\n`)
  process.exit(1)
}

const { status } = spawnSync(process.execPath, ['node_modules/drizzle-kit/bin.cjs', 'generate', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)

const checksums: Record<string, string> = JSON.parse(read(CHECKSUMS))
const { entries }: Journal = JSON.parse(read(`${FOLDER}/meta/_journal.json`))
for (const { tag } of entries) {
  if (tag in checksums) continue
  const file = `${FOLDER}/${tag}.sql`
  const migration = addExtraSql(read(file))
  writeFileSync(file, migration)
  checksums[tag] = createHash('sha256').update(migration).digest('hex')
}
writeFileSync(CHECKSUMS, `${JSON.stringify(checksums, null, 2)}\n`)

const calls = entries.flatMap(({ tag }) => read(`${FOLDER}/${tag}.sql`).match(/^SELECT desk_attach_record_triggers\(.+\);/gm) ?? [])
for (const resource of Object.values(resources) as Resource[]) {
  const attached = calls.findLast((call) => call.startsWith(`SELECT desk_attach_record_triggers('${resource.name}',`))
  if (attached === toTriggerCall(resource)) continue
  process.exitCode = 1
  process.stderr.write(
    `The triggers of ${resource.name} differ from its search fields or gatewayId in lib/catalog. Regenerate its migration as described in CONTRIBUTING.md, “Add a resource”.\n`,
  )
}
