/** The stream of the counts at check-in: current, shared, limited, and closed when the server stops. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startDraining } from '@/lib/http/health-routes'
import { doorRequest, makeDevice, makeOwner } from '@/testing/devices'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { POST as scan } from '../scan/route'
import { GET as counts } from './route'

beforeAll(openTestDatabase)
const process = globalThis as { checkoutDeskDraining?: boolean }
afterEach(() => {
  process.checkoutDeskDraining = false
})

async function openShop() {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  await importLines('tickets', sellerId, [minimal('tickets', { qrCode: 'code' })])
  const { cookie } = await makeDevice(sellerId, owner)
  const open = () => counts(doorRequest('/door/counts?pageId=', cookie))
  const admit = () => scan(doorRequest('/door/scan', cookie, { key: 'one', code: 'code', checkIn: true }))
  return { cookie, open, admit }
}

/** Reads messages, without comments. */
async function* messages(response: Response) {
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    const text = decoder.decode(chunk as Uint8Array)
    if (text.startsWith('data: ')) yield JSON.parse(text.slice(6)) as { attended: number; inside: number; sold: number }
  }
}

describe('GET /door/counts', () => {
  it('sends the current counts, and new ones after a scan at another door', async () => {
    const { open, admit } = await openShop()
    const response = await open()
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const stream = messages(response)
    expect((await stream.next()).value).toMatchObject({ attended: 0, inside: 0, sold: 1 })
    await admit()
    expect((await stream.next()).value).toMatchObject({ attended: 1, inside: 1 })
    await stream.return(undefined)
  })

  it('ends when the server drains, and is refused then', async () => {
    const { open } = await openShop()
    const stream = messages(await open())
    await stream.next()
    startDraining()
    expect((await stream.next()).done).toBe(true)
    expect((await open()).status).toBe(503)
  })

  it('is limited per seller, and refused with a hint to poll', async () => {
    const { open } = await openShop()
    const streams: Response[] = []
    while (streams.length < 100) streams.push(await open())
    expect(streams.map(({ status }) => status)).toEqual(Array(100).fill(200))
    const refused = await open()
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('/door/turnout')])
    await streams[0]?.body?.cancel()
    const next = await open()
    expect(next.status).toBe(200)
    for (const { body } of [...streams.slice(1), next]) await body?.cancel()
    const other = await openShop()
    const theirs = await other.open()
    expect(theirs.status).toBe(200)
    await theirs.body?.cancel()
  })

  it('requires a session or a device', async () => {
    expect((await counts(doorRequest('/door/counts?pageId=', ''))).status).toBe(401)
  })
})
