/** desk backup, desk restore */
import { joinEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { writeBackup } from '@/lib/backup/backup'
import { restoreBackup } from '@/lib/backup/restore'
import { env } from '@/lib/core/env'
import { type Command, say } from '../command'

/** Runs `work` with the connection string of the user who owns the tables. */
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
  summary: 'Writes a consistent snapshot of all data to one file. Safe while the server runs.',
  details: ['FILE holds every record, hash and client secret: protect it like the database. See docs/operations.md for how to restore it.'],
  options: {},
  arguments: [1, 1],
  async run(_, [file = '']) {
    const written = await asOwner((url) => writeBackup(url, file))
    say(`Wrote ${written.rows} rows of ${written.tables} tables to ${file}.`)
    return { output: written }
  },
}

export const restore: Command = {
  name: 'restore',
  usage: 'FILE',
  summary: 'Restores a file of `desk backup` into an empty database, completely or not at all.',
  details: ['With DATABASE_URL, run `desk migrate` first. With a different NEXTAUTH_SECRET, users have to sign in again.'],
  options: {},
  arguments: [1, 1],
  async run(_, [file = '']) {
    const read = await asOwner((url) => restoreBackup(url, file))
    say(`Restored ${read.rows} rows of ${read.tables} tables.`)
    return { output: read }
  },
}
