/** Tests `desk backup -` and `desk restore -`, which use standard output and standard input. */
// @module-tag slow
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { createDatabase } from '@/testing/postgres'
import { deskArgs, deskCommand } from '@/testing/programs'

const [source, target] = [withOwnDatabase(), withOwnDatabase()]

const desk = deskCommand()
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

// Node.js connects a child's streams to sockets, which cannot be opened by a path.
it('writes a backup to a socket, and restores it from a socket', async () => {
  const [from, to] = await Promise.all([source.url, source.url].map((url) => createDatabase(url)))
  if (!from || !to) throw new Error('The databases have not been created.')
  const client = postgres(from.url, { max: 1 })
  await client`insert into sellers (id, name, number) overriding system value values (repeat('c', 24), 'sent', 9)`.finally(() =>
    client.end(),
  )
  const start = (command: string, url: string) =>
    spawn(process.execPath, deskArgs(command, '-'), {
      env: { ...process.env, MIGRATE_DATABASE_URL: '', DATABASE_URL: url },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
  const [writing, restoring] = [start('backup', from.url), start('restore', to.url)]
  writing.stdout.pipe(restoring.stdin)
  const [output, [code]] = await Promise.all([text(restoring.stdout), once(writing, 'exit')])
  expect([code, JSON.parse(output)]).toEqual([0, expect.objectContaining({ rows: 1 })])
  await Promise.all([from.drop(), to.drop()])
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
  expect([stdout.trim(), stderr]).toEqual(['10', expect.stringMatching(/^desk: Cannot write standard output \(EPIPE\)\..*\n$/)])
})
