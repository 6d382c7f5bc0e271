/** desk pull */
import { text as readAll } from 'node:stream/consumers'
import { type ResourceName, resources } from '@/lib/catalog'
import { type PullResult, pullRecords } from '@/lib/sync/pull/pull'
import { openSource, SourceError } from '@/lib/sync/pull/source'
import { type Command, CommandError, say, type Values, withDatabase } from '../command'
import { type Bar, progressBar } from '../progress'
import { startRejects } from '../rejects'
import { mustBeSeller } from './key'

const STATEMENT_MS = 120_000

const NAMES = Object.keys(resources) as ResourceName[]

function addressFrom(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new CommandError('--from must be an address such as https://desk.example.com.')
  if (url.username || url.password || url.search || url.hash)
    throw new CommandError('--from must be an address alone; the key goes into --key.')
  if (url.protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(url.hostname))
    say('The address is not https: on its way the key can be read by others.')
  return url.href.replace(/\/+$/, '')
}

/** What the other service or this machine's disk refuses is the operator's to change. */
function told(error: unknown): unknown {
  if (error instanceof SourceError) return new CommandError(error.message)
  const { syscall, code, path } = error as NodeJS.ErrnoException
  if (syscall === undefined || path === undefined) return error
  return new CommandError(`${path} can't be written (${code}): how far the pull has got is kept there. Check DATA_DIR.`)
}

async function keyFrom(values: Values): Promise<string> {
  const key = values.flag('key-stdin') ? (await readAll(process.stdin)).trim() : values.required('key')
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError('The key must be one word of visible ASCII characters.')
  return key
}

function namesFrom(values: Values): ResourceName[] {
  const wanted = values.all('only')
  for (const name of wanted)
    if (!(NAMES as string[]).includes(name)) throw new CommandError(`There is no list of ${name}. It is one of ${NAMES.join(', ')}.`)
  return wanted.length === 0 ? NAMES : NAMES.filter((name) => wanted.includes(name))
}

export const pullCommand: Command = {
  name: 'pull',
  usage: '--from URL (--key KEY | --key-stdin) --seller ID [--only RESOURCE]… [--full] [--drop-unknown]',
  summary: 'Brings records over from any service that speaks this API, such as another Checkout Desk.',
  details: [
    `Its lists (${NAMES.join(', ')}) are walked from the newest record, page by page. After a cut, run it again:`,
    'it goes on where it was, and then takes what has come since. It stops at the first page that is here already and unchanged.',
    'Member names that say `stripe` where ours say `gateway` are mapped. What is refused goes to pull-RESOURCE.rejects.ndjson; the exit code is 2 then.',
    'Tickets are in no list of the API: `desk export` and `desk import` bring them over.',
    '',
    '--from URL        the other service; what stands before /v1',
    '--key KEY         a key of it that may read the lists; with secrets:read it gives the client secrets too',
    '--key-stdin       read the key from standard input instead: it stays out of the shell’s history',
    '--seller ID       whose records they become',
    '--only RESOURCE   this list alone; may be repeated',
    '--full            goes through all of it: finds changes of old records too',
    '--drop-unknown    leave out members that a record does not have, where such a record is refused otherwise',
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
    const from = addressFrom(values.required('from'))
    const sellerId = values.required('seller')
    const names = namesFrom(values)
    const key = await keyFrom(values)
    const source = openSource({
      from,
      key,
      onWait: (milliseconds, why) => say(`Waiting ${Math.ceil(milliseconds / 1000)} s: ${why}.`),
    })
    return withDatabase(async () => {
      const seller = await mustBeSeller(sellerId)
      const results: PullResult[] = []
      for (const resource of names) results.push(await pullOne(resource, seller))
      return { output: { from, data: results }, partly: results.some(({ rejected }) => rejected > 0) }
    }, STATEMENT_MS)

    async function pullOne(resource: ResourceName, seller: string): Promise<PullResult> {
      const file = `pull-${resource}.rejects.ndjson`
      const rejects = await startRejects(file)
      let bar: Bar | undefined
      try {
        const result = await pullRecords({
          resource,
          seller,
          from,
          source,
          full: values.flag('full'),
          dropUnknown: values.flag('drop-unknown'),
          onReject: rejects.write,
          onProgress(read, total) {
            bar ??= progressBar(resource, total)
            bar.update(read, read)
          },
        })
        bar?.end()
        say(`${resource}: ${result.read} read, ${result.written} written, ${result.unchanged} unchanged, ${result.rejected} refused.`)
        if (result.rejected > 0) say(`What was refused, and why, stands in ${file}.`)
        return result
      } catch (error) {
        bar?.end()
        throw told(error)
      } finally {
        await rejects.close()
      }
    }
  },
}
