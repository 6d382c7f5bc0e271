/** desk export */
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { countExport, exportRecords } from '@/lib/sync/export/export'
import { IMPORT_NAMES } from '@/lib/sync/import/import'
import { type Command, CommandError, say, withDatabase } from '../command'
import { progressBar } from '../progress'
import { resourceFrom } from './import'
import { mustBeSeller } from './key'

/** A batch is one statement, and nobody waits on it. */
const STATEMENT_MS = 120_000

/** Whoever reads it, such as `head`, has had enough: that is no fault. */
const isReaderGone = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EPIPE'

/** Whole or not at all: what a kill leaves behind is the `.part`. Personal data: no one else on this machine may read it. */
async function writeFileWhole(file: string, lines: AsyncIterable<string>): Promise<void> {
  const part = `${file}.part`
  try {
    await pipeline(Readable.from(lines), createWriteStream(part, { mode: 0o600 }))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall) throw new CommandError(`${file} can't be written (${code}). Choose a folder that exists and that you may write to.`)
    throw error
  }
}

/** Resolves when the reader has all of it: the process ends right behind, and a full pipe takes the last lines late. */
async function writeStdout(lines: AsyncIterable<string>): Promise<void> {
  await pipeline(Readable.from(lines), process.stdout, { end: false })
  await new Promise<void>((resolve, reject) => process.stdout.write('', (error) => (error ? reject(error) : resolve())))
}

export const exportCommand: Command = {
  name: 'export',
  usage: 'RESOURCE FILE|- --seller ID',
  summary: `Writes records out as \`desk import\` reads them: ${IMPORT_NAMES.join(', ')}.`,
  details: [
    'FILE gets one record a line (NDJSON), oldest first; - writes to standard output.',
    'Imported by another seller and exported again, the lines are the same. Left out are whose a record is, and client secrets.',
    'A ticket carries its code and what happened at the door: whoever has the file could make tickets of it.',
    '',
    '--seller ID   whose records they are',
  ],
  options: { seller: { type: 'string' } },
  arguments: [2, 2],
  async run(values, [name = '', file = '']) {
    const resource = resourceFrom(name)
    const sellerId = values.required('seller')
    return withDatabase(async () => {
      const seller = await mustBeSeller(sellerId)
      const total = await countExport(resource, seller)
      const bar = progressBar(resource, total)
      let written = 0
      async function* lines() {
        for await (const line of exportRecords(resource, seller)) {
          yield `${line}\n`
          written += 1
          bar.update(written, written)
        }
      }
      try {
        if (file === '-') await writeStdout(lines())
        else await writeFileWhole(file, lines())
      } catch (error) {
        if (!isReaderGone(error)) throw error
      } finally {
        bar.end()
      }
      say(`${written} ${resource} written.`)
      // Standard output holds the records alone.
      return file === '-' ? {} : { output: { resource, written } }
    }, STATEMENT_MS)
  },
}
