/** Tests a full disk. Mounts a small file system, which requires root on Linux. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import { openDatabase, setDatabase } from '@/db/client'
import { joinEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { makeTemporaryFolder } from '@/testing/postgres'
import { report } from '@/testing/report'
import { checkHistory, listReplies } from './history'
import { controlPostgres, expect, fullOrShort, makeShop, startTraffic, test } from './world'

const DISK_SIZE = '160m'

/** Runs `work` with the folder of a small file system. */
async function withSmallDisk(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await makeTemporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE},mode=0755`, 'tmpfs', folder])
  try {
    await work(folder)
  } finally {
    execFileSync('umount', ['-l', folder])
    await rm(folder, { recursive: true, force: true })
  }
}

/** Fills the disk by writing a file. */
async function fillDisk(path: string): Promise<void> {
  const file = await open(path, 'w')
  for (const size of [1 << 20, 1 << 12]) {
    const chunk = Buffer.alloc(size)
    try {
      for (;;) await file.write(chunk)
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }
  }
  await file.close()
}

test('requests get a 503 while the disk is full, and no acknowledged admission is lost', ({ world }) =>
  withSmallDisk(async (folder) => {
    const embedded = await joinEmbedded(folder)
    await migrateDatabase(embedded.url)
    const sql = postgres(embedded.url, { max: 1, onnotice: () => {} })
    const pool = openDatabase({ url: embedded.url, max: 4 })
    setDatabase(pool)
    const shop = await makeShop(fullOrShort(3_000, 600))
    setDatabase(undefined)
    await pool.close()
    const server = await world.serve({ DATABASE_URL: embedded.url })
    const traffic = startTraffic(shop, { url: () => server.url, doors: 20, scans: 2 })
    const countUnavailable = () => listReplies(traffic.history).filter(({ status }) => status === 503).length
    await expect.poll(() => listReplies(traffic.history).length, { intervals: [20] }).toBeGreaterThan(100)
    const ballast = join(folder, 'ballast')
    await fillDisk(ballast)
    await expect.poll(countUnavailable, { timeout: 60_000 }).toBeGreaterThan(0)
    await pause(fullOrShort(5_000, 1_000))
    await rm(ballast)
    // PostgreSQL shuts down if there is no space for its WAL. An operator would restart it after freeing some space.
    const cluster = join(folder, 'postgres')
    if (!existsSync(join(cluster, 'postmaster.pid'))) {
      await chmod(folder, 0o755)
      await controlPostgres(folder, [
        '-w',
        '-t',
        '60',
        '-l',
        join(cluster, 'server.log'),
        '-o',
        `-p ${new URL(embedded.url).port}`,
        'start',
      ])
    }
    traffic.history.faultEndedAt = performance.now()
    await traffic.stop()
    const { failed, ...figures } = await checkHistory(traffic.history, shop.seller, sql)
    await report('disk full', { faults: 1, ...figures }, { failed, refused: countUnavailable() })
    await server.child.kill()
    await server.ended
    await sql.end()
    await embedded.leave()
  }))

test('while the disk is full, the embedded database can be joined and stopped, and says why it does not start', () =>
  withSmallDisk(async (folder) => {
    const server = await joinEmbedded(folder)
    const ballast = join(folder, 'ballast')
    await fillDisk(ballast)
    const command = await joinEmbedded(folder)
    expect(command.wasRunning).toBe(true)
    expect(await command.leave()).toBe(false)
    expect(await server.leave()).toBe(true)
    expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false)
    await expect(joinEmbedded(folder)).rejects.toThrow(/The embedded PostgreSQL did not start: .*No space left on device/s)
    await rm(ballast)
    expect(await (await joinEmbedded(folder)).leave()).toBe(true)
  }))
