/** desk import */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { IMPORT_NAMES, type ImportName, importRecords } from '@/lib/sync/import/import'
import { type Command, CommandError, say, withDatabase } from '../command'
import { progressBar } from '../progress'
import { startRejects } from '../rejects'
import { mustBeSeller } from './key'

/** A batch of records is one statement, and nobody waits on it. */
const STATEMENT_MS = 120_000

/** @throws {CommandError} where nothing of this name can be imported */
export function resourceFrom(name: string): ImportName {
  const known = IMPORT_NAMES.find((one) => one === name)
  if (!known) throw new CommandError(`There is no resource ${name}. It is one of ${IMPORT_NAMES.join(', ')}.`)
  return known
}

async function sizeOf(file: string): Promise<number> {
  try {
    const found = await stat(file)
    if (!found.isDirectory()) return found.size
  } catch {
    throw new CommandError(`There is no file ${file}.`)
  }
  throw new CommandError(`${file} is a folder. Give a file, or - for standard input.`)
}

async function* counted(input: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    count(chunk.length)
    yield chunk
  }
}

export const importCommand: Command = {
  name: 'import',
  usage: 'RESOURCE FILE|- --seller ID [--drop-unknown]',
  summary: `Takes records in: ${IMPORT_NAMES.join(', ')}.`,
  details: [
    'FILE holds NDJSON, a JSON array, or a list answer of the API ({"data":[…]}); - reads standard input.',
    'Records are upserted by id: the same file twice changes nothing. A line that is refused goes to FILE.rejects.ndjson',
    'with its line number, path and reason, and stops no other; the exit code is 2 then.',
    'A paid booking without tickets gets one made for each seat: `desk export tickets` has their codes.',
    '',
    '--seller ID       whose records they become, whatever the lines say',
    '--drop-unknown    leave out members that a record does not have, where such a line is refused otherwise',
  ],
  options: { seller: { type: 'string' }, 'drop-unknown': { type: 'boolean' } },
  arguments: [2, 2],
  async run(values, [name = '', file = '']) {
    const resource = resourceFrom(name)
    const sellerId = values.required('seller')
    const fromStdin = file === '-'
    const size = fromStdin ? 0 : await sizeOf(file)
    const rejectsFile = `${fromStdin ? basename(resource) : file}.rejects.ndjson`

    return withDatabase(async () => {
      const seller = await mustBeSeller(sellerId)
      const rejects = await startRejects(rejectsFile)
      const bar = progressBar(resource, size)
      const begun = performance.now()
      let bytes = 0
      const input = counted(fromStdin ? process.stdin : createReadStream(file, { highWaterMark: 256 * 1024 }), (length) => {
        bytes += length
      })
      const result = await importRecords({
        resource,
        seller,
        input,
        dropUnknown: values.flag('drop-unknown'),
        onReject: rejects.write,
        onProgress: (read) => bar.update(bytes, read),
      }).finally(async () => {
        bar.end()
        await rejects.close()
      })
      const seconds = Math.max(0.001, (performance.now() - begun) / 1000)
      const rate = Math.round(result.read / seconds).toLocaleString('en')
      say(
        `${result.read} read in ${seconds.toFixed(1)} s (${rate} a second): ${result.written} written, ${result.unchanged} unchanged, ${result.rejected} refused.`,
      )
      if (result.rejected > 0) say(`What was refused, and why, stands in ${rejectsFile}.`)
      return { output: result, partly: result.rejected > 0 }
    }, STATEMENT_MS)
  },
}
