/** npm run suite -- NAME: runs a long suite that is not part of `npm test`. Without a name, lists the suites. */
import { spawn } from 'node:child_process'
import { exitWithMessage, root } from './bootstrap.mjs'

const SUITES = {
  faults: {
    args: ['scripts/test-faults.mjs'],
    duration: '30 min',
    description: [
      'No acknowledged change is lost if the database, the network, the disk or the process fails under load.',
      'Sends 100,000 generated requests, imports 1,000 damaged files, and writes the table in docs/faults.md.',
    ],
  },
  defenses: {
    args: ['--import', 'tsx', 'scripts/without-defenses.ts'],
    duration: '60 min',
    description: [
      'Each defense is needed: if it is removed from a copy of the code, its test fails.',
      'Writes docs/defenses.md. To try only defenses whose names contain a word, such as “lists”: npm run suite -- defenses lists',
    ],
  },
  scale: {
    args: ['scripts/test-scale.mjs'],
    duration: '40 min',
    description: [
      'The tests pass with two servers behind a proxy, through PgBouncer, and with a streaming replica.',
      "Needs Debian's PostgreSQL and PgBouncer. To run only some parts: npm run suite -- scale pair faults bouncer replica",
    ],
  },
  door: {
    args: ['scripts/test-door.mjs'],
    duration: '60 min',
    description: [
      'Offline check-in counts every guest once: 3,000 guests at 10 doors, with ten seeds and 20 orders of arrival.',
      'Measures a device with 50,000 tickets in Chromium, and writes the table in docs/offline-protocol.md.',
      'To simulate only some seeds: npm run suite -- door 3,4. To skip the simulation: npm run suite -- door measure',
    ],
  },
  image: {
    args: ['--import', 'tsx', 'scripts/try-image.ts'],
    duration: '5 min',
    description: [
      'The Dockerfile’s steps, run without Docker, produce an image that runs as user 1000 on a read-only file system.',
      'Needs Linux and root.',
    ],
  },
}

const listed = Object.entries(SUITES).map(
  ([name, { duration, description }]) => `  ${name.padEnd(10)}about ${duration} on two cores\n    ${description.join('\n    ')}\n`,
)
const help = `Usage: npm run suite -- NAME [ARGUMENT…]\n\n${listed.join('\n')}`

const [name, ...rest] = process.argv.slice(2)
if (name === undefined || name === '--help' || name === 'help') {
  process.stdout.write(help)
  process.exit(0)
}
const suite = Object.hasOwn(SUITES, name) ? SUITES[name] : exitWithMessage(`Unknown suite '${name}'.\n\n${help}`)
const child = spawn(process.execPath, [...suite.args, ...rest], { cwd: root, stdio: 'inherit' })
child.on('close', (code) => process.exit(code ?? 1))
