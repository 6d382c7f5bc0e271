/** Requests that nobody thought of, as bytes: every operation, parameter, header, method and body. */
import fc from 'fast-check'
import { minimal } from '@/testing/seller'
import { expect, test } from './support/api'
import { openPipe } from './support/pipe'
import { findFault, type Wild, wildRequest } from './support/requests'

/** `npm run test:faults` sends all of them, `npm test` some; half with a seed that is kept, half with a new one each run. */
const REQUESTS = process.env.FAULTS === 'full' ? 100_000 : 3_000
const SEED = 20_260_701
const PIPES = 8

for (const [what, seed] of [
  ['the kept seed', SEED],
  ['a new seed', Date.now() % 2 ** 31],
] as const) {
  test(`${REQUESTS / 2} requests of ${what} are answered, and never by a fault of ours`, async ({ api }) => {
    test.setTimeout(15 * 60_000)
    await api.load('payments', [minimal('payments', { customerEmail: 'a@example.com' })])
    const requests = fc.sample(wildRequest(api.key), { seed, numRuns: REQUESTS / 2 })
    const wrong: string[] = []
    let next = 0
    const send = async () => {
      const pipe = openPipe(api.url)
      for (let wild = requests[next++]; wild; wild = requests[next++]) {
        const fault = await check(pipe, wild)
        if (fault) wrong.push(`seed ${seed}: ${fault}: ${JSON.stringify(wild.bytes.toString('latin1').slice(0, 600))}`)
        if (wrong.length > 20) break
      }
      pipe.close()
    }
    await Promise.all(Array.from({ length: PIPES }, send))
    expect(wrong).toEqual([])
  })
}

const check = (pipe: ReturnType<typeof openPipe>, { method, bytes }: Wild) =>
  pipe.send(bytes, method === 'HEAD').then(
    (answer) => findFault(answer, method === 'HEAD'),
    (error: Error) => error.message,
  )
