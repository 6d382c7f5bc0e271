/** desk migrate, desk db url */
import { findEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { env } from '@/lib/core/env'
import { writeStandardOutput } from '@/lib/core/standard-output'
import { type Command, CommandError, printMessage, withOwner } from '../command'

export const migrate: Command = {
  name: 'migrate',
  usage: '',
  summary: 'Migrates the database schema to this version of Checkout Desk. Safe to run again, even concurrently.',
  details: [
    'Stop the servers first: a migration can block their writes for minutes, and gives up if tables stay locked for two minutes.',
    'With your own database, the user must be allowed to create tables and the extensions pg_trgm and btree_gin.',
    'If MIGRATE_DATABASE_URL is set, migrates as its user instead of the one in DATABASE_URL, so that the server’s user owns no tables.',
  ],
  options: {},
  arguments: [0, 0],
  async run() {
    await withOwner(migrateDatabase, { mayCreate: true })
    printMessage('The database is up to date.')
    return { output: { migrated: true } }
  },
}

/** Removes `prepare`, an option of our driver, which PostgreSQL's programs reject. Leaves all other characters unchanged. */
function withoutPrepare(url: string): string {
  const [address = '', query] = url.split(/\?(.*)/s, 2)
  const rest = query?.split('&').filter((option) => !/^prepare(=|$)/.test(option))
  return rest && rest.length > 0 ? `${address}?${rest.join('&')}` : address
}

export const databaseUrl: Command = {
  name: 'db url',
  usage: '',
  summary: 'Prints the connection string for the database, including the password.',
  details: [
    'Do not pass it to psql as an argument, which other users can see. Pass the host, port, user and database, and enter the password.',
  ],
  options: {},
  arguments: [0, 0],
  async run() {
    const { DATABASE_URL, DATA_DIR } = env()
    const url = DATABASE_URL ?? (await findEmbedded(DATA_DIR))
    if (url === undefined)
      throw new CommandError(`The embedded database in ${DATA_DIR} is not running. Start the server with \`npm start\`, and try again.`)
    await writeStandardOutput(`${withoutPrepare(url)}\n`)
    return {}
  },
}
