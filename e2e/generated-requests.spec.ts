/** Sends generated requests with valid and invalid paths, parameters, headers, methods and bodies. */
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { resources } from '@/lib/catalog'
import { report } from '@/testing/report'
import { type Line, minimal, readFixture } from '@/testing/seller'
import { type Api, expect, test } from './support/api'
import { findMismatch, findProblem } from './support/check-response'
import { openRawConnection, type RawConnection } from './support/raw-connection'
import { type GeneratedRequest, generatedRequest, HOSTILE_TEXTS } from './support/requests'

/** More requests in `npm run suite -- faults` than in `npm test`. Half use a fixed seed, half a new one in each run. */
const REQUESTS = process.env.FAULTS === 'full' ? 100_000 : 3_000
const SEED = 20_260_701
/** The number of concurrent connections, excluding those that are waiting for a delayed response. */
const CONNECTIONS = 8
/** How long to wait for a response before sending the next request on another connection, in milliseconds. Many refusals are delayed. */
const MAX_WAIT_MS = 300
/** The maximum number of attempts to send a request that the server sheds, which happens only on a busy machine. */
const MAX_ATTEMPTS = 3

/** Imports records of each resource, and tickets with the codes that occur in the generated requests. */
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
    const problems: string[] = []
    const statuses: Record<number, number> = {}
    let next = 0
    const delayed: Promise<void>[] = []
    const checkNext = async (connection: RawConnection, request: GeneratedRequest) => {
      const { problem, status = 0 } = await check(connection, request)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (problem) problems.push(`seed ${seed}: ${problem}: ${JSON.stringify(request.bytes.toString('latin1').slice(0, 600))}`)
    }
    const send = async () => {
      let connection = openRawConnection(api.url)
      for (let request = requests[next++]; request; request = requests[next++]) {
        const used = connection
        const checked = checkNext(used, request)
        if (await Promise.race([checked.then(() => false), pause(MAX_WAIT_MS, true)])) {
          delayed.push(checked.finally(used.close))
          connection = openRawConnection(api.url)
        }
        if (problems.length > 20) break
      }
      connection.close()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, send))
    await Promise.all(delayed)
    expect(problems).toEqual([])
    expect(statuses[200], 'some requests succeed').toBeGreaterThan(REQUESTS / 100)
    await report(`requests generated from ${source}`, { requests: requests.length, lost: 0, measured: `seed ${seed}` }, statuses)
  })
}

/** Sends a request. @returns the response's status, if there is a response, and what is wrong with it, if anything */
async function check(
  connection: RawConnection,
  request: GeneratedRequest,
  attempt = 1,
): Promise<{ problem?: string | undefined; status?: number }> {
  const isHead = request.method === 'HEAD'
  try {
    const response = await connection.send(request.bytes, isHead)
    if (response.status === 503 && response.headers['retry-after'] && attempt < MAX_ATTEMPTS) return check(connection, request, attempt + 1)
    return { problem: findProblem(response, isHead) ?? (isHead ? undefined : findMismatch(request, response)), status: response.status }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}
