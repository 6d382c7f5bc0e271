/** npm run suite -- scale [PART…]: tests two servers, PgBouncer and a replica. Installs Debian's packages for them if run as root. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, exitWithMessage, install, requireNode, root, run, step } from './bootstrap.mjs'

requireNode()
process.chdir(root)

const playwright = (config, env = {}) =>
  run(join(root, 'node_modules', '.bin', 'playwright'), ['test', '-c', config], { quiet: false, env: { ...process.env, ...env } })

/** The parts by name, each with its title and a function that runs it. */
const PARTS = {
  pair: ['Two servers behind a proxy: every operation and every page', () => playwright('e2e/scale', { SCALE: 'pair' })],
  faults: ['Two servers behind a proxy: faults', () => playwright('e2e/scale/faults.config.ts')],
  bouncer: ['PgBouncer in transaction mode: everything', () => playwright('e2e/scale', { SCALE: 'bouncer' })],
  replica: ['A streaming replica: every operation and every page', () => playwright('e2e/scale', { SCALE: 'replica' })],
}

const wanted = process.argv.slice(2)
for (const name of wanted) if (!(name in PARTS)) exitWithMessage(`Unknown part ${name}. Use one of ${Object.keys(PARTS).join(', ')}.`)

/** Returns the names of the Debian packages whose programs are missing. */
function findMissing() {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const found = {
    postgresql: versions.some((version) => existsSync(`/usr/lib/postgresql/${version}/bin/pg_basebackup`)),
    pgbouncer: ['/usr/sbin', '/usr/bin', '/usr/local/bin'].some((folder) => existsSync(join(folder, 'pgbouncer'))),
  }
  return Object.keys(found).filter((name) => !found[name])
}

/** Installs missing Debian packages if possible. Exits with a message if some are still missing. */
async function ensureServices() {
  if (findMissing().length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await step(findMissing().join(' and '), async () => {
      await run('apt-get', ['update'])
      await run('apt-get', ['install', '-y', '--no-install-recommends', ...findMissing()])
    })
  }
  const names = findMissing()
  if (names.length > 0)
    exitWithMessage(`NOT TESTED: ${names.join(' and ')} could not be found. On Debian, run as root: apt-get install ${names.join(' ')}`)
}

await ensureServices()
await install()
await build()
const failed = []
for (const [name, [title, work]] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  await step(title, async () => {
    if ((await work()).code !== 0) failed.push(name)
  })
}
process.stdout.write(failed.length === 0 ? '\nEvery part passed.\n' : `\nFailed: ${failed.join(', ')}.\n`)
process.exit(failed.length === 0 ? 0 : 1)
