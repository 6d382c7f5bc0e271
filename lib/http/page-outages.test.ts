/** A page that fails because of an outage returns a 503, unless it explains the outage to the user. */
import { setTimeout as pause } from 'node:timers/promises'
import inject from 'light-my-request'
import { expect, it } from 'vitest'
import { UnavailableError } from '@/db/unavailable'
import { reportExplainedOutage } from '../core/explained-outages'
import { respondToOutages } from './page-outages'

/** Runs `render` as a page that then fails with a 500. @returns the status that the client gets */
async function getStatus(render: () => void): Promise<number> {
  const page = respondToOutages(async (_, outgoing) => {
    await pause(1)
    render()
    outgoing.writeHead(500).end()
  })
  return (await inject(page, { method: 'POST', url: '/payments/1' })).statusCode
}

const makeOutage = () => new UnavailableError('The database is unavailable.')

it('sends a 503 for an outage that is not explained to the user', async () => {
  expect(
    await Promise.all([getStatus(() => {}), getStatus(makeOutage), getStatus(() => [makeOutage(), reportExplainedOutage(), makeOutage()])]),
  ).toEqual([500, 503, 503])
})

it('keeps the status of a server action that shows a message', async () => {
  expect(await Promise.all([getStatus(() => [makeOutage(), reportExplainedOutage()]), getStatus(makeOutage)])).toEqual([500, 503])
})
