/** Loading the sample shop of `npm run demo` and `npm run dev`. */
// @module-tag slow
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { findEmbedded } from '@/db/embedded'
import { withOwnDatabase } from '@/testing/own-database'
import { createDatabase, makeDataFolder, makeTemporaryFolder, newDatabaseName } from '@/testing/postgres'

const testDatabase = withOwnDatabase()

/** Returns an expression that imports a module as compiled by compile.ts. */
const importing = (file: string) => `import(${JSON.stringify(pathToFileURL(join(String(process.env.TEST_PROGRAMS), file)).href)})`

/** Loads the sample shop and prints its credentials, without starting a server. */
const LOAD = `${importing('cli/demo.js')}.then(async ({ serveSampleShop }) => {
  await serveSampleShop((_, work) => work(), async () => ({ url: 'http://localhost', stopped: Promise.resolve() }))
  process.exit()
})`

/** Uses the embedded database twice, as the demo and its server do, and prints a line instead of loading the sample shop. */
const HANG = `Promise.all([${importing('cli/demo.js')}, ${importing('db/embedded.js')}]).then(async ([{ serveSampleShop }, { joinEmbedded }]) => {
  await serveSampleShop(async (name, work) => {
    if (name === 'Database') return work()
    await joinEmbedded(process.env.DATA_DIR)
    console.log(name)
    return new Promise(() => {})
  })
  process.exit()
})`

/** Runs code with a database, or with the embedded one if `url` is empty. */
const run = (code: string, url: string, dataDir: string) => start(['--input-type=module', '-e', code], url, dataDir)

function start(args: string[], url: string, DATA_DIR: string) {
  const env = { ...process.env, DATABASE_URL: url, MIGRATE_DATABASE_URL: '', DATA_DIR }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output: text(child.stderr), ended: once(child, 'exit') }
}

const load = (url: string, dataDir: string) => run(LOAD, url, dataDir)

/** Returns a function that counts the records of each kind in a database. */
function openCounter(url: string): () => Promise<Record<string, number>> {
  const client = postgres(url, { max: 1 })
  onTestFinished(() => client.end())
  const tables = ['sellers', 'users', 'payments', 'tickets', 'check_ins', 'subscriptions', 'validation_attempts']
  const counts = tables.map((table) => `(select count(*) from ${table})::int as ${table}`)
  return async () => ({ ...(await client.unsafe<Record<string, number>[]>(`select ${counts.join(', ')}`))[0] })
}

it('completes a sample shop whose loading was interrupted, and then leaves it unchanged', async () => {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const whole = await createDatabase(String(process.env.TEST_DATABASE_URL))
  onTestFinished(() => whole.drop())
  expect(await load(whole.url, `${folder}/whole`).ended).toEqual([0, null])
  const complete = await openCounter(whole.url)()
  expect(complete).toMatchObject({ sellers: 1, payments: 2000, subscriptions: 400 })

  const count = openCounter(testDatabase.url)
  const interrupted = load(testDatabase.url, folder)
  await expect.poll(async () => (await count()).payments, { interval: 5 }).toBeGreaterThan(0)
  interrupted.child.kill('SIGINT')
  expect(await interrupted.ended).toEqual([0, null])
  expect(await interrupted.output).toMatch(/\n {2}Stopped\.\n$/)
  expect(await count()).toMatchObject({ sellers: 1, subscriptions: 0 })

  const starts: unknown[] = []
  for (let start = 2; start <= 3; start += 1) {
    const { output, ended } = load(testDatabase.url, folder)
    expect(await ended).toEqual([0, null])
    expect(await count()).toEqual(complete)
    const printed = await output
    starts.push([printed.includes(' subscriptions\n'), /Password +(\S{12})\n/.exec(printed)?.[1]])
  }
  const { password } = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as { password: string }
  expect(starts).toEqual([
    [true, password],
    [false, password],
  ])
})

it('stops the embedded database if Ctrl-C interrupts the start, although the process uses it twice', async () => {
  const folder = await makeDataFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { child, output, ended } = run(HANG, '', folder)
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  expect(await output).toBe('\n  Stopped.\n')
  expect(await findEmbedded(folder)).toBeUndefined()
})

it('says what to do if the database cannot be reached or is not migrated', async () => {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const unreachable = start(['scripts/dev.mjs'], 'postgres://desk@127.0.0.1:1/desk', folder)
  expect(await unreachable.ended).toEqual([1, null])
  expect(await unreachable.output).toMatch(/\nCannot reach the database: .*\. Check DATABASE_URL and that PostgreSQL is running\.\n$/)
  const empty = await createDatabase(String(process.env.TEST_DATABASE_URL), newDatabaseName(), 'template0')
  onTestFinished(() => empty.drop())
  const unmigrated = start(['scripts/dev.mjs'], empty.url, folder)
  expect(await unmigrated.ended).toEqual([1, null])
  expect(await unmigrated.output).toMatch(/\. Run `npm run desk -- migrate`\.\n$/)
  expect(await unmigrated.output).not.toMatch(/^ +at /m)
})
