/** desk export */
import { FileError } from '@/lib/core/private-file'
import { isStandardOutput, writeOutput } from '@/lib/core/standard-output'
import { countExport, exportRecords } from '@/lib/sync/export/export'
import { IMPORT_NAMES } from '@/lib/sync/import/import'
import { BULK_OPTIONS, type Command, printMessage, withDatabase } from '../command'
import { progressBar } from '../progress'
import { requireSeller } from '../with-seller'
import { parseResourceName } from './import'

/** Returns whether a write failed because the reader closed the pipe, as `head` does. The command then ends without an error. */
export const isPipeClosed = (error: unknown) =>
  error instanceof FileError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EPIPE'

export const exportCommand: Command = {
  name: 'export',
  usage: 'RESOURCE FILE|- --seller ID',
  summary: `Exports records in the format of \`desk import\`: ${IMPORT_NAMES.join(', ')}.`,
  details: [
    'Writes one record per line (NDJSON), oldest first (products: by ID). If FILE is -, writes to standard output.',
    'Seller IDs and client secrets are omitted. Importing the file and exporting the records again produces the same lines.',
    'Tickets include their codes and check-ins. Keep that file secret, because anyone with a code can get in.',
    '',
    '--seller ID   the seller’s ID',
  ],
  options: { seller: { type: 'string' } },
  arguments: [2, 2],
  async run(values, [name = '', file = '']) {
    const resource = parseResourceName(name)
    const sellerId = values.required('seller')
    const isStdout = await isStandardOutput(file)
    return withDatabase(async () => {
      const seller = await requireSeller(sellerId)
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
        await writeOutput(file, lines())
      } catch (error) {
        if (!isPipeClosed(error)) throw error
      } finally {
        bar.end()
      }
      printMessage(`Exported ${written} ${resource}.`)
      // Standard output contains only the records.
      return isStdout ? {} : { output: { resource, written } }
    }, BULK_OPTIONS)
  },
}
