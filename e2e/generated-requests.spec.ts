/** Sends generated requests as raw bytes: valid and invalid paths, parameters, headers, methods and bodies. */
import fc from 'fast-check'
import { resources } from '@/lib/catalog'
import { report } from '@/testing/report'
import { type Line, minimal, readFixture } from '@/testing/seller'
import { type Api, expect, test } from './support/api'
import { findFault, findMismatch } from './support/check-response'
import { openPipe, type Pipe } from './support/pipe'
import { type GeneratedRequest, generatedRequest, HOSTILE_TEXTS } from './support/requests'

/** The number of requests: more in `npm run suite -- faults` than in `npm test`. Half use a fixed seed, and half a new one in each run. */
const REQUESTS = process.env.FAULTS === 'full' ? 100_000 : 3_000
const SEED = 20_260_701
/** The number of concurrent connections. */
const CONNECTIONS = 8
/** The maximum number of times that a request is sent. It is sent again if the server sheds it, which happens only on a busy machine. */
const MAX_ATTEMPTS = 3

/** Loads records of each resource, and tickets with the codes that the generated requests contain. */
async function loadRecords(api: Api): Promise<void> {
  for (const name of Object.keys(resources) as (keyof typeof resources)[]) await api.load(name, readFixture(name).slice(0, 3))
  const codes = new Set(HOSTILE_TEXTS.filter((text) => text.length > 0 && text.length <= 512 && !text.includes('\u0000')))
  await api.load(
    'tickets',
    [...codes].map((qrCode): Line => minimal('tickets', { qrCode })),
  )
}

for (const [source, seed] of [
  ['a fixed seed', SEED],
  ['a new seed', Date.now() % 2 ** 31],
] as const) {
  test(`${REQUESTS / 2} requests generated from ${source} get documented responses and no server error`, async ({ api }) => {
    test.setTimeout(15 * 60_000)
    await loadRecords(api)
    const requests = fc.sample(generatedRequest(api.key), { seed, numRuns: REQUESTS / 2 })
    const wrong: string[] = []
    const statuses: Record<number, number> = {}
    let next = 0
    const send = async () => {
      const pipe = openPipe(api.url)
      for (let request = requests[next++]; request; request = requests[next++]) {
        const { fault, status = 0 } = await check(pipe, request)
        statuses[status] = (statuses[status] ?? 0) + 1
        if (fault) wrong.push(`seed ${seed}: ${fault}: ${JSON.stringify(request.bytes.toString('latin1').slice(0, 600))}`)
        if (wrong.length > 20) break
      }
      pipe.close()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, send))
    expect(wrong).toEqual([])
    expect(statuses[200], 'some requests succeed').toBeGreaterThan(REQUESTS / 100)
    await report(`requests generated from ${source}`, { requests: requests.length, lost: 0, measured: `seed ${seed}` }, statuses)
  })
}

/** Sends a request. @returns what is wrong with the response, if anything, and its status, if there is one */
async function check(pipe: Pipe, request: GeneratedRequest, attempt = 1): Promise<{ fault?: string | undefined; status?: number }> {
  const isHead = request.method === 'HEAD'
  try {
    const response = await pipe.send(request.bytes, isHead)
    if (response.status === 503 && response.headers['retry-after'] && attempt < MAX_ATTEMPTS) return check(pipe, request, attempt + 1)
    return { fault: findFault(response, isHead) ?? (isHead ? undefined : findMismatch(request, response)), status: response.status }
  } catch (error) {
    return { fault: (error as Error).message }
  }
}
