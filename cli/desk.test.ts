/** `desk` reports a lost connection in one line, even though the driver also throws an uncaught exception, and survives a full disk. */
// @module-tag slow
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { makeTemporaryFolder } from '@/testing/postgres'
import { deskArgs } from '@/testing/programs'

const testDatabase = withOwnDatabase()

/** Runs `desk`. @param stderr where its standard error goes */
function runDesk(args: string[], stderr: 'pipe' | number = 'pipe') {
  const env = { ...process.env, DATABASE_URL: testDatabase.url, MIGRATE_DATABASE_URL: '' }
  const child = spawn(process.execPath, deskArgs(...args), { env, stdio: ['ignore', 'ignore', stderr] })
  return { message: child.stderr ? text(child.stderr) : undefined, ended: once(child, 'exit') }
}

it('reports that the connection was lost if PostgreSQL closes it during a transaction', async () => {
  const folder = await makeTemporaryFolder()
  const admin = postgres(testDatabase.url, { max: 1 })
  try {
    const { message, ended } = await admin.begin(async (transaction) => {
      // The backup waits for the table's lock.
      await transaction`lock table sellers in access exclusive mode`
      const running = runDesk(['backup', join(folder, 'desk.backup')])
      const terminate = () => transaction`
        select pg_terminate_backend(pid) from pg_locks where not granted and relation = 'sellers'::regclass`
      await expect.poll(terminate, { timeout: 60_000 }).toHaveLength(1)
      return running
    })
    expect(await message).toMatch(/^desk: Cannot reach the database: .+\. Check DATABASE_URL and that PostgreSQL is running\.?\n$/)
    expect(await ended).toEqual([1, null])
    expect(await readdir(folder)).toEqual([])
  } finally {
    await admin.end()
    await rm(folder, { recursive: true, force: true })
  }
})

it.runIf(process.platform === 'linux')('succeeds even if its messages cannot be printed', async () => {
  const full = openSync('/dev/full', 'w')
  try {
    expect(await runDesk(['migrate'], full).ended).toEqual([0, null])
  } finally {
    closeSync(full)
  }
})
