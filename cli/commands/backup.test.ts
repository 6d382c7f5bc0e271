/** Tests `desk backup -` and `desk restore -`, which use standard output and standard input. */
// @module-tag slow
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'

const [source, target] = [withOwnDatabase(), withOwnDatabase()]

const desk = `"${process.execPath}" --import tsx cli/desk.ts`
const run = (command: string) =>
  promisify(execFile)('sh', ['-c', command], { env: { ...process.env, MIGRATE_DATABASE_URL: '', DATABASE_URL: source.url } })

it('writes a backup to a pipe, and restores it from the pipe', async () => {
  const [from, to] = [source, target].map(({ url }) => postgres(url, { max: 1 }))
  await from?.unsafe("insert into sellers (id, name, number) overriding system value values (repeat('a', 24), 'piped', 7)")
  const env = { ...process.env, MIGRATE_DATABASE_URL: '', SOURCE: source.url, TARGET: target.url }
  const command = `DATABASE_URL=$SOURCE ${desk} backup - | DATABASE_URL=$TARGET ${desk} restore -`
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { env })
  expect(JSON.parse(stdout), stderr).toMatchObject({ rows: 1 })
  expect(await to?.unsafe('select name from sellers')).toEqual([{ name: 'piped' }])
  expect(existsSync('-')).toBe(false)
  await Promise.all([from?.end(), to?.end()])
})

it('reports that a backup cannot be written if the reader closes the pipe', async () => {
  const client = postgres(source.url, { max: 1 })
  // Add more data than the pipe and the buffers can hold. It is random, because the backup is compressed.
  await client`insert into sellers (id, name, number) overriding system value values (repeat('b', 24), 'large', 8)`
  await client`
    insert into audit_log (seller_id, action, details)
    select repeat('b', 24), 'test', json_build_object('text', (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 40) where row > 0))
    from generate_series(1, 20000) as row`.finally(() => client.end())
  const { stdout, stderr } = await run(`${desk} backup - | head -c 10 | wc -c`)
  expect([stdout.trim(), stderr]).toEqual(['10', expect.stringMatching(/^desk: Cannot write \/dev\/stdout \(EPIPE\)\..*\n$/)])
})
