/** desk import */
import { isSpecialFile } from '@/lib/core/private-file'
import { IMPORT_NAMES, type ImportName, importRecords } from '@/lib/sync/import/import'
import { BULK_OPTIONS, type Command, CommandError, printMessage, withDatabase } from '../command'
import { getInputSize, readInput } from '../input'
import { progressBar } from '../progress'
import { createRejectWriter, rejectsPaths } from '../reject-writer'
import { requireSeller } from '../with-seller'

/** Parses the name of an importable resource. @throws {CommandError} if it is unknown */
export function parseResourceName(name: string): ImportName {
  const found = IMPORT_NAMES.find((importName) => importName === name)
  if (!found) throw new CommandError(`Unknown resource ${name}. Use one of ${IMPORT_NAMES.join(', ')}.`)
  return found
}

export const importCommand: Command = {
  name: 'import',
  usage: 'RESOURCE FILE|- --seller ID [--drop-unknown] [--events]',
  summary: `Imports records: ${IMPORT_NAMES.join(', ')}.`,
  details: [
    'FILE contains NDJSON, a JSON array, or a list response from the API ({"data":[…]}). If FILE is -, reads standard input.',
    'Records are upserted by ID, so importing a file twice changes nothing. Rejected lines are written to FILE.rejects.ndjson',
    'with the line number, path and reason, or to RESOURCE.rejects.ndjson if FILE is - or a pipe. The other lines are imported, and',
    'the exit code is 2.',
    'For a paid booking without tickets, one ticket per seat is created; `desk export tickets` includes their codes.',
    '',
    '--seller ID       the seller to import for; seller IDs in the file are ignored',
    '--drop-unknown    drop unknown members instead of rejecting the line',
    '--events          write an event for each change, and send it to webhook endpoints',
  ],
  options: { seller: { type: 'string' }, 'drop-unknown': { type: 'boolean' }, events: { type: 'boolean' } },
  arguments: [2, 2],
  async run(values, [name = '', file = '']) {
    const resource = parseResourceName(name)
    const sellerId = values.required('seller')
    const size = await getInputSize(file)

    return withDatabase(async () => {
      const seller = await requireSeller(sellerId)
      const rejects = await createRejectWriter({
        // A stream such as /dev/stdin is in a directory that is not meant for files.
        ownPaths: file === '-' || (await isSpecialFile(file)) ? [] : [file],
        sharedPaths: rejectsPaths(resource),
      })
      const bar = progressBar(resource, size)
      const start = performance.now()
      let bytes = 0
      const result = await importRecords({
        resource,
        seller,
        input: readInput(file, (length) => {
          bytes += length
        }),
        dropUnknown: values.flag('drop-unknown'),
        events: values.flag('events'),
        onReject: rejects.write,
        onProgress: (read) => bar.update(bytes, read),
      }).finally(async () => {
        bar.end()
        await rejects.close()
      })
      const seconds = Math.max(0.001, (performance.now() - start) / 1000)
      const rate = Math.round(result.read / seconds).toLocaleString('en-US')
      printMessage(
        `${result.read} read in ${seconds.toFixed(1)} s (${rate} per second): ${result.written} written, ${result.unchanged} unchanged, ${result.rejected} rejected.`,
      )
      if (result.rejected > 0) printMessage(`See ${await rejects.path()} for the rejected lines and the reasons.`)
      return { output: result, isPartial: result.rejected > 0 }
    }, BULK_OPTIONS)
  },
}
