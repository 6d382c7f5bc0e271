/** desk migrate, desk db url */
import { findEmbedded, joinEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { env } from '@/lib/core/env'
import { type Command, CommandError, say } from '../command'

export const migrate: Command = {
  name: 'migrate',
  usage: '',
  summary: 'Brings the database to the tables of this version. Safe to run at any time, and by several at once.',
  details: [
    'With DATABASE_URL, its user must be allowed to create tables and the extensions pg_trgm and btree_gin.',
    'MIGRATE_DATABASE_URL names another user for this alone; the server then serves as one who owns nothing.',
  ],
  options: {},
  arguments: [0, 0],
  async run() {
    const { DATABASE_URL, MIGRATE_DATABASE_URL, DATA_DIR } = env()
    const url = MIGRATE_DATABASE_URL ?? DATABASE_URL
    if (url !== undefined) await migrateDatabase(url)
    else {
      const embedded = await joinEmbedded(DATA_DIR)
      try {
        await migrateDatabase(embedded.url)
      } finally {
        await embedded.leave()
      }
    }
    say('The database has every table of this version.')
    return { output: { migrated: true } }
  },
}

export const databaseUrl: Command = {
  name: 'db url',
  usage: '',
  summary: 'Prints the connection string of the database, password and all: psql "$(npm run -s desk -- db url)".',
  options: {},
  arguments: [0, 0],
  async run() {
    const { DATABASE_URL, DATA_DIR } = env()
    const url = DATABASE_URL ?? (await findEmbedded(DATA_DIR))
    if (url === undefined)
      throw new CommandError(`The embedded database in ${DATA_DIR} is not running. Start it with \`npm start\`, then ask again.`)
    process.stdout.write(`${url}\n`)
    return {}
  },
}
