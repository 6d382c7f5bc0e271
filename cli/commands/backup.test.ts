/** `desk backup -` and `desk restore -` use standard output and input, like `desk export -` and `desk import -`. */
// @module-tag slow
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'

const [source, target] = [withOwnDatabase(), withOwnDatabase()]

it('writes a backup to a pipe, and restores it from the pipe', async () => {
  const [from, to] = [source, target].map(({ url }) => postgres(url, { max: 1 }))
  await from?.unsafe("insert into sellers (id, name, number) overriding system value values (repeat('a', 24), 'piped', 7)")
  const desk = `"${process.execPath}" --import tsx cli/desk.ts`
  const env = { ...process.env, MIGRATE_DATABASE_URL: '', SOURCE: source.url, TARGET: target.url }
  const command = `DATABASE_URL=$SOURCE ${desk} backup - | DATABASE_URL=$TARGET ${desk} restore -`
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { env })
  expect(JSON.parse(stdout), stderr).toMatchObject({ rows: 1 })
  expect(await to?.unsafe('select name from sellers')).toEqual([{ name: 'piped' }])
  expect(existsSync('-')).toBe(false)
  await Promise.all([from?.end(), to?.end()])
})
