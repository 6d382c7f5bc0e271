/** Tests that a device keeps its entries and exits until its list includes them. */
import 'fake-indexeddb/auto'
import { expect, it } from 'vitest'
import { newKey } from '../door-client'
import { openStore } from './store'
import { createTransfer } from './transfer'

const PAGE = {
  ...{ protocol: 1, reset: false, entries: [], cursor: 'a', indexKey: 'aa', scanKey: 'aa', now: new Date().toISOString(), timeZone: 'UTC' },
  ...{ events: [], hasMore: false },
}

/**
 * Creates a transfer with a server that rejects every scan, and responds to each request for the list with the next of the given pages.
 *
 * @param pages undefined for a request that fails
 */
async function open(pages: (Partial<typeof PAGE> | undefined)[]) {
  const store = await openStore(newKey())
  const request = async (path: string) => {
    if (path === '/door/scans') return Response.json({}, { status: 400 })
    const page = pages.shift()
    return page && Response.json({ ...PAGE, ...page })
  }
  const transfer = createTransfer(store, { request, isOffline: () => false }, Date.now)
  const remember = (index: string, sealed?: string) =>
    store.saveEntry({ index, at: Date.now() - 60_000 }, sealed === undefined ? undefined : { id: newKey(), sealed })
  const isRemembered = async (index: string) => (await store.entered(index)) !== undefined
  return { transfer, remember, isRemembered }
}

it('forgets entries that the list includes, except one whose scan the server rejects', async () => {
  const { transfer, remember, isRemembered } = await open([{}, {}])
  await remember('recorded')
  await remember('rejected', 'a scan')
  await transfer.run()
  expect([await isRemembered('recorded'), await isRemembered('rejected')]).toEqual([false, true])
})

it('does not forget an entry while it resumes an update that was interrupted after the page with the ticket', async () => {
  const { transfer, remember, isRemembered } = await open([{ hasMore: true }, undefined, {}, {}])
  expect(await transfer.run()).toBe('offline')
  await remember('recorded')
  expect([await transfer.run(), await isRemembered('recorded')]).toEqual(['updated', true])
  expect([await transfer.run(), await isRemembered('recorded')]).toEqual(['updated', false])
})
