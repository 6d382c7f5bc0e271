/** Tests that `desk pull` keeps the file of rejected records until it reads the whole list again. */
// @module-tag slow
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { runDesk } from '@/testing/programs'
import { makeSeller, minimal } from '@/testing/seller'

const testDatabase = withOwnDatabase()

it('keeps rejected records after an interruption and during other pulls, prints the path of their file, and starts a new file with --full', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-pull-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const seller = await makeSeller()
  const other = {
    isDown: false,
    pages: ['newer', 'older'].map((orderId, index) => [
      minimal('payments', { orderId, surprise: 1, createdAt: `2026-03-0${4 - index * 2}T12:00:00.000Z` }),
      minimal('payments', { createdAt: `2026-03-0${3 - index * 2}T12:00:00.000Z` }),
    ]),
    beforeSecondPage: async () => {},
  }
  const server = createServer(async (request, response) => {
    const after = new URL(String(request.url), 'http://x').searchParams.has('starting_after')
    if (after) await other.beforeSecondPage()
    // A revoked key ends a pull immediately.
    if (after && other.isDown) response.writeHead(401).end('{"error":"Unauthorized","message":"Unknown key."}')
    else response.end(JSON.stringify({ has_more: !after, total: 4, data: other.pages[after ? 1 : 0] }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  /** The path of the first pull's file. */
  let file = ''
  /** Runs a pull. @returns its exit code and messages, and the rejected records that are in the first pull's file afterward */
  async function pull(...options: string[]) {
    const args = ['pull', '--from', from, '--key', 'the-key', '--seller', seller, '--only', 'payments', ...options]
    const { code, stderr } = await runDesk(args, { DATABASE_URL: testDatabase.url, DATA_DIR: folder }, folder)
    file ||= /^See (\S+) for the rejected records and the reasons\.$/m.exec(stderr)?.[1] ?? ''
    const lines = (await readFile(join(folder, file), 'utf8').catch(() => '')).split('\n').filter(Boolean)
    const orders = lines.map((line) => (JSON.parse((JSON.parse(line) as { text: string }).text) as { orderId: string }).orderId)
    return { code, stderr, orders }
  }

  other.isDown = true
  const interrupted = await pull()
  expect(interrupted).toMatchObject({ code: 1, orders: ['newer'] })
  expect(file).toContain(`pull-payments-${seller}`)
  // A full pull reads the first page again, instead of continuing with the second one.
  Object.assign(other.pages[0]?.[0] ?? {}, { orderId: 'changed' })
  expect(await pull('--full')).toMatchObject({ code: 1, orders: ['changed'] })
  other.isDown = false
  // The interrupted pull continues with the second page. Then the first page is read again, because it might contain newer records.
  expect(await pull()).toMatchObject({ code: 2, orders: ['changed', 'older'] })
  // The next pull stops after the first page.
  other.pages[0]?.shift()
  expect(await pull()).toMatchObject({ code: 0, orders: ['changed', 'older'] })
  expect(await pull('--full')).toMatchObject({ code: 2, orders: ['older'] })

  // Other pulls do not change the file: one that fails because the pull below is still running, one for another seller, and one from
  // another service.
  const others: unknown[] = []
  other.beforeSecondPage = async () => {
    other.beforeSecondPage = async () => {}
    others.push(await pull('--full'), await pull('--seller', await makeSeller(), '--drop-unknown'), await pull('--from', `${from}/shop`))
  }
  other.pages[0]?.unshift(minimal('payments', { orderId: 'newest', surprise: 1 }))
  expect(await pull('--full')).toMatchObject({ code: 2, orders: ['newest', 'older'] })
  expect(others).toMatchObject([
    { code: 1, stderr: expect.stringContaining('Another `desk pull`'), orders: ['newest'] },
    { code: 0, orders: ['newest'] },
    { code: 2, stderr: expect.not.stringContaining(file), orders: ['newest'] },
  ])
  expect(await pull('--full', '--drop-unknown')).toMatchObject({ code: 0, orders: [] })
})

it('replaces the file of rejected records if the pull starts over because its position is lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-pull-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const seller = await makeSeller()
  const data = [minimal('payments', { surprise: 1 }), minimal('payments')]
  const responses = [
    [200, { has_more: true, total: 3, data }],
    // A revoked key ends a pull immediately.
    [401, { message: 'Unknown key.' }],
    [400, { message: 'No such record.', code: 'resource_missing' }],
    [200, { has_more: false, total: 2, data }],
  ] as const
  let requests = 0
  const server = createServer((_, response) => {
    const [status, body] = responses[requests] ?? expect.fail('The pull sent another request.')
    requests += 1
    response.writeHead(status).end(JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const args = ['pull', '--from', from, '--key', 'the-key', '--seller', seller, '--only', 'payments']
  const pull = async () => {
    const { code, stdout, stderr } = await runDesk(args, { DATABASE_URL: testDatabase.url, DATA_DIR: folder }, folder)
    const [, file = ''] = /^See (\S+) for the rejected records and the reasons\.$/m.exec(stderr) ?? []
    return { code, stdout, lines: (await readFile(join(folder, file), 'utf8')).split('\n').length - 1 }
  }
  expect(await pull()).toMatchObject({ code: 1, lines: 1 })
  expect(await pull()).toMatchObject({ code: 2, stdout: expect.stringContaining('"rejected":1'), lines: 1 })
})
