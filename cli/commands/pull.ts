/** desk pull */
import { createHash } from 'node:crypto'
import { text as readAll } from 'node:stream/consumers'
import { FileLockedError } from '@/db/file-lock'
import { type ResourceName, resources } from '@/lib/catalog'
import type { ImportResult } from '@/lib/sync/import/import'
import { pullRecords } from '@/lib/sync/pull/pull'
import { MissingListError, openSource } from '@/lib/sync/pull/source'
import { BULK_OPTIONS, type Command, CommandError, printMessage, type Values, withDatabase } from '../command'
import { type ProgressBar, progressBar } from '../progress'
import { createRejectWriter, type RejectWriter, rejectsPaths } from '../reject-writer'
import { requireSeller } from '../with-seller'

const NAMES = Object.keys(resources) as ResourceName[]

/** Returns the URL of the other service, without slashes at the end. @throws {CommandError} if it cannot be the URL of a service */
function parseServiceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new CommandError('--from must be a URL such as https://desk.example.com.')
  if (url.username || url.password || url.search || url.hash)
    throw new CommandError('--from must not contain credentials, a query or a fragment. Pass the key with --key.')
  if (url.protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    printMessage('Warning: --from is not https, so the key is sent unencrypted.')
  return url.href.replace(/\/+$/, '')
}

/** Converts errors from another pull or the file system to command errors. Returns any other error unchanged. */
function toCommandError(error: unknown, resource: ResourceName): unknown {
  if (error instanceof FileLockedError)
    return new CommandError(
      `Another \`desk pull\` is already copying ${resource} from this service for this seller. Run the command again when it is done.`,
    )
  const { syscall, code, path } = error as NodeJS.ErrnoException
  if (syscall === undefined || path === undefined) return error
  return new CommandError(`Cannot write ${path} (${code}), the file that stores the progress of the pull. Check DATA_DIR.`)
}

/** Returns the API key from --key or from standard input. @throws {CommandError} if the key is missing, specified twice, or malformed */
async function readKey(values: Values): Promise<string> {
  const key = values.isOnStdin('key') ? (await readAll(process.stdin)).trim() : values.required('key')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError('The key must consist of visible ASCII characters without spaces.')
  return key
}

/** Returns the names of the lists to copy, in order. @throws {CommandError} if a name is unknown */
function parseResourceNames(values: Values): ResourceName[] {
  const wanted = values.all('only')
  for (const name of wanted)
    if (!(NAMES as string[]).includes(name)) throw new CommandError(`Unknown resource ${name}. Use one of ${NAMES.join(', ')}.`)
  return wanted.length === 0 ? NAMES : NAMES.filter((name) => wanted.includes(name))
}

/**
 * Returns the name of the file for rejected records, without the extension. A digest of the service's URL keeps the files of two services
 * apart. The URL itself can be too long for a file name.
 */
const rejectsName = (resource: ResourceName, seller: string, from: string) =>
  `pull-${resource}-${seller}-${createHash('sha256').update(from).digest('hex').slice(0, 8)}`

export const pullCommand: Command = {
  name: 'pull',
  usage: '--from URL (--key KEY | --key-stdin) --seller ID [--only RESOURCE]… [--full] [--drop-unknown]',
  summary: 'Copies records from any service with this API, such as another Checkout Desk.',
  details: [
    `Reads the lists (${NAMES.join(', ')}) page by page, newest first. If you run an interrupted pull again, it`,
    'continues where it stopped, and then reads newer records. Later pulls read all records created since the last complete pull, and',
    'then stop at the first page that contains unchanged records, and no new or changed ones.',
    'In member names, `stripe` is replaced by `gateway`. Rejected records are written to pull-RESOURCE-SELLER-SERVICE.rejects.ndjson',
    '(exit code 2); SERVICE is a digest of the URL. Later pulls append new rejections to this file. Once you have fixed the cause, use',
    '--full: it reads all records again and replaces the file, unless it continues an interrupted pull with --full. If the record at',
    'which a pull continues no longer exists at the other service, the pull starts over and replaces the file.',
    'A pull fails if another pull is copying the same list from the same service for the same seller.',
    'A list that the other service does not have is skipped, unless it is the first one or is requested with --only.',
    'Tickets, pages and products are not copied: use `desk export` and `desk import` for them.',
    '',
    '--from URL        the URL of the other service, without /v1',
    '--key KEY         an API key that can read the lists; with secrets:read, client secrets are copied too',
    '--key-stdin       read the key from standard input, which keeps it out of the shell history',
    '--seller ID       the seller to import for',
    '--only RESOURCE   copy only this list; repeatable',
    '--full            read every page, to find changes to old records too',
    '--drop-unknown    drop unknown members instead of rejecting the record',
  ],
  options: {
    from: { type: 'string' },
    key: { type: 'string' },
    'key-stdin': { type: 'boolean' },
    seller: { type: 'string' },
    only: { type: 'string', multiple: true },
    full: { type: 'boolean' },
    'drop-unknown': { type: 'boolean' },
  },
  arguments: [0, 0],
  async run(values) {
    const from = parseServiceUrl(values.required('from'))
    const sellerId = values.required('seller')
    const names = parseResourceNames(values)
    const hasOnly = values.all('only').length > 0
    const key = await readKey(values)
    const source = openSource({
      from,
      key,
      onWait: (milliseconds, reason) => printMessage(`Waiting ${Math.ceil(milliseconds / 1000)} s: ${reason}.`),
    })
    return withDatabase(async () => {
      const seller = await requireSeller(sellerId)
      const results: ImportResult[] = []
      for (const resource of names) {
        try {
          results.push(await pullOne(resource, seller))
        } catch (error) {
          if (!(error instanceof MissingListError) || results.length === 0 || hasOnly) throw error
          printMessage(`${resource}: skipped. The other service has no such list.`)
        }
      }
      return { output: { from, data: results }, isPartial: results.some(({ rejected }) => rejected > 0) }
    }, BULK_OPTIONS)

    async function pullOne(resource: ResourceName, seller: string): Promise<ImportResult> {
      let rejects: RejectWriter | undefined
      let bar: ProgressBar | undefined
      try {
        const result = await pullRecords({
          resource,
          seller,
          from,
          source,
          full: values.flag('full'),
          dropUnknown: values.flag('drop-unknown'),
          // Not created before the pull starts, because creating it may delete the file that another pull is writing.
          async onStart(isWhole) {
            await rejects?.close()
            rejects = await createRejectWriter({ ownPaths: rejectsPaths(rejectsName(resource, seller, from)), append: !isWhole })
          },
          onReject: (reject) => rejects?.write(reject),
          onProgress(read, total) {
            bar ??= progressBar(resource, total)
            bar.update(read, read)
          },
        }).finally(async () => {
          bar?.end()
          await rejects?.close()
        })
        printMessage(
          `${resource}: ${result.read} read, ${result.written} written, ${result.unchanged} unchanged, ${result.rejected} rejected.`,
        )
        return result
      } catch (error) {
        throw toCommandError(error, resource)
      } finally {
        // Also after a failure, because the next pull does not read these records again.
        const path = await rejects?.path().catch(() => undefined)
        if (path !== undefined) printMessage(`See ${path} for the rejected records and the reasons.`)
      }
    }
  },
}
