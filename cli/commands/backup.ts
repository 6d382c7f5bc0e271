/** desk backup, desk restore */
import { joinEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { writeBackup } from '@/lib/backup/backup'
import { RestoreError, restoreBackup } from '@/lib/backup/restore'
import { env } from '@/lib/core/env'
import { type Command, CommandError, say } from '../command'

/** Runs work on the database as the user who owns its tables. */
async function asOwner<T>(work: (url: string) => Promise<T>): Promise<T> {
  const { DATABASE_URL, MIGRATE_DATABASE_URL, DATA_DIR } = env()
  const url = MIGRATE_DATABASE_URL ?? DATABASE_URL
  if (url !== undefined) return work(url)
  const embedded = await joinEmbedded(DATA_DIR)
  try {
    await migrateDatabase(embedded.url)
    return await work(embedded.url)
  } finally {
    await embedded.leave()
  }
}

export const backup: Command = {
  name: 'backup',
  usage: 'FILE',
  summary: 'Writes everything to one file, as it stands in one moment. The server may run meanwhile.',
  details: [
    'FILE holds every record, hash and client secret: keep it as you keep the database. docs/operations.md says how to restore it.',
  ],
  options: {},
  arguments: [1, 1],
  async run(_, [file = '']) {
    const written = await asOwner((url) => writeBackup(url, file))
    say(`${written.rows} rows of ${written.tables} tables are in ${file}.`)
    return { output: written }
  },
}

export const restore: Command = {
  name: 'restore',
  usage: 'FILE',
  summary: 'Reads a file of `desk backup` into a database that is empty. All of it, or nothing.',
  details: ['With DATABASE_URL, run `desk migrate` before. Whoever was signed in signs in again where NEXTAUTH_SECRET is another.'],
  options: {},
  arguments: [1, 1],
  async run(_, [file = '']) {
    try {
      const read = await asOwner((url) => restoreBackup(url, file))
      say(`${read.rows} rows of ${read.tables} tables are back.`)
      return { output: read }
    } catch (error) {
      if (error instanceof RestoreError) throw new CommandError(error.message)
      throw error
    }
  },
}
