/** The rate of pages from memory. */
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { setImmediate as nextIteration } from 'node:timers/promises'
import inject from 'light-my-request'
import { expect, it } from 'vitest'
import { reportedLoads } from '@/db/semaphore'
import { sendCachedPage } from './cached-pages'

const render: RequestListener = (_, outgoing) => {
  outgoing.setHeader('Content-Security-Policy', `script-src 'nonce-${randomBytes(16).toString('base64')}'`)
  outgoing.end('x'.repeat(1024 * 1024))
}

it('counts a large page as several', async () => {
  const serve: RequestListener = (incoming, outgoing) => void sendCachedPage(render, incoming, outgoing, false, new Set())
  const answers = Array.from({ length: 4 }, () => inject(serve, { url: '/docs', headers: { host: 'x' } }))
  let isSent = false
  let most = 0
  const sent = Promise.all(answers).then((all) => {
    isSent = true
    return all
  })
  while (!isSent) {
    await nextIteration()
    most = Math.max(most, reportedLoads().get('cached_pages')?.waiting ?? 0)
  }
  expect(most).toBeGreaterThan(1)
  expect((await sent).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
})
