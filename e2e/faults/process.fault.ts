/** Tests that no admission is lost when the server is killed or stopped under load. */
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@/testing/free-port'
import { report } from '@/testing/report'
import { stop } from '../support/processes'
import { sendRaw } from '../support/raw'
import { checkAdmitted, checkHistory } from './history'
import { keepAlive, type TimedResponse } from './send-request'
import { expect, fullOrShort, PAUSE_MS, type Server, type Shop, sendScan, startTraffic, test, type World } from './world'

test('no admission is lost when the server is killed (SIGKILL) under load and restarted', async ({ world }) => {
  const kills = fullOrShort(50, 2)
  const shop = await world.shop(kills * fullOrShort(200, 80))
  const port = String(await freePort())
  let server = await world.serve({ PORT: port })
  const traffic = startTraffic(shop, { url: () => `http://127.0.0.1:${port}`, doors: 20, scans: 2 })
  const countCompleted = () => traffic.history.scans.filter(({ replies }) => replies.at(-1)?.status === 200).length
  for (let i = 0; i < kills; i += 1) {
    const before = countCompleted()
    await expect.poll(() => countCompleted() > before + 20 || countCompleted() === shop.codes.length * 2, { intervals: [20] }).toBe(true)
    await stop(server, 'SIGKILL')
    server = await world.serve({ PORT: port })
  }
  traffic.history.faultEndedAt = performance.now()
  await traffic.stop()
  const { failed, ...figures } = await checkHistory(traffic.history, shop.seller, world.sql)
  await report('server killed (SIGKILL) and restarted', { faults: kills, ...figures }, { failed })
})

/** The time limit in milliseconds from SIGTERM until the process exits despite a hanging upload. */
const EXIT_MS = 25_000

type SentRequest = { reply: Promise<TimedResponse>; sentAt: number }

/** Scans one ticket after another, adding each request to `sent`, until none are left or a request gets no response. */
async function keepScanning({ url }: Server, shop: Shop, nextIndex: () => number | undefined, sent: SentRequest[]): Promise<void> {
  const agent = keepAlive()
  for (let index = nextIndex(); index !== undefined; index = nextIndex()) {
    const code = shop.codes[index] ?? ''
    const reply = sendScan(url, shop.key, { code, key: `term-${code}`, note: 'term' }, agent)
    sent.push({ reply, sentAt: performance.now() })
    const { status } = await reply
    if (status === 0) break
    // On a busy machine, a newly started server may be too slow for its first requests.
    if (status === 503) await pause(PAUSE_MS)
  }
  agent.destroy()
}

type ShutdownResult = { sent: number; admitted: number; exitMs: number }

/** Stops a server under load with a SIGTERM, and checks that every request sent before the signal gets a response. */
async function terminate(world: World): Promise<ShutdownResult> {
  const shop = await world.shop(600, 0)
  const server = await world.serve()
  const hanging = sendRaw(
    server.url,
    [
      `POST /v1/tickets/validate/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.key}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
    ],
    3 * EXIT_MS,
  )
  const sent: SentRequest[] = []
  let next = 0
  const nextIndex = () => (next < shop.codes.length ? next++ : undefined)
  const scanners = Array.from({ length: 8 }, () => keepScanning(server, shop, nextIndex, sent))
  await expect.poll(() => sent.length, { intervals: [10] }).toBeGreaterThan(40)
  const signaledAt = performance.now()
  const code = await stop(server)
  const exitMs = Math.round(performance.now() - signaledAt)
  await Promise.all(scanners)
  expect(code, 'exits on its own').toBe(0)
  expect(exitMs).toBeLessThan(EXIT_MS)
  expect((await hanging).status, 'the upload is aborted without a response').toBe(0)
  const sentBefore = sent.filter(({ sentAt }) => sentAt < signaledAt)
  const replies = await Promise.all(sentBefore.map(({ reply }) => reply))
  const statuses = replies.map(({ status }) => status)
  // A newly started server may be too slow for some requests. A 503 also counts as a response: it admits no one.
  expect([200, 503], 'every request sent before the signal gets a response').toEqual(expect.arrayContaining([...new Set(statuses)]))
  expect(statuses.filter((status) => status === 200).length, 'most of them get a 200').toBeGreaterThan(sentBefore.length / 2)
  return { sent: sentBefore.length, admitted: await checkAdmitted(replies, shop.seller, world.sql), exitMs }
}

test('SIGTERM under load completes the requests in flight and aborts a hanging upload', { tag: '@waits' }, async ({ world }) => {
  const rounds = fullOrShort(20, 1)
  const results: ShutdownResult[] = []
  // Stop two servers in parallel, because most of the time is spent waiting for the upload.
  for (let i = 0; i < rounds; i += 2) {
    const wave = Array.from({ length: Math.min(2, rounds - i) }, async (_, index) => {
      await pause(index * 500)
      return terminate(world)
    })
    results.push(...(await Promise.all(wave)))
  }
  const sum = (name: 'sent' | 'admitted') => results.reduce((total, result) => total + result[name], 0)
  const exitMs = Math.max(...results.map((result) => result.exitMs))
  await report('SIGTERM under load, with a hanging upload', {
    faults: rounds,
    requests: sum('sent'),
    admitted: sum('admitted'),
    lost: 0,
    measured: `exited after ${(exitMs / 1000).toFixed(1)} s`,
  })
})
