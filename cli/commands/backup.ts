/** desk backup, desk restore */
import { writeBackup } from '@/lib/backup/backup'
import { restoreBackup } from '@/lib/backup/restore'
import { isStandardOutput } from '@/lib/core/standard-output'
import { type Command, printMessage, withOwner } from '../command'

export const backup: Command = {
  name: 'backup',
  usage: 'FILE|-',
  summary: 'Writes a consistent snapshot of all data to one file. Safe while the server is running.',
  details: [
    'If FILE is -, writes to standard output.',
    'FILE contains all records, hashes and client secrets, so protect it like the database. docs/operations.md explains how to restore it.',
  ],
  options: {},
  arguments: [1, 1],
  async run(_, [file = '']) {
    const written = await withOwner((url) => writeBackup(url, file))
    printMessage(`Wrote ${written.rows} rows from ${written.tables} tables to ${file === '-' ? 'standard output' : file}.`)
    // Standard output contains only the backup.
    return (await isStandardOutput(file)) ? {} : { output: written }
  },
}

export const restore: Command = {
  name: 'restore',
  usage: 'FILE|-',
  summary: 'Restores a backup created by `desk backup` into an empty database, either completely or not at all.',
  details: [
    'If FILE is -, reads standard input.',
    'With your own database, run `desk migrate` first. docs/operations.md lists what is lost if NEXTAUTH_SECRET is different.',
  ],
  options: {},
  arguments: [1, 1],
  async run(_, [file = '']) {
    const restored = await withOwner((url) => restoreBackup(url, file), { mayCreate: true })
    printMessage(`Restored ${restored.rows} rows in ${restored.tables} tables.`)
    return { output: restored }
  },
}
