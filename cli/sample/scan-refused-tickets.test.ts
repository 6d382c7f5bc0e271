/** Tests the sample shop's refused scans. */
// @module-tag slow
import { expect, it } from 'vitest'
import { listRefusals } from '@/lib/listing/list-refusals'
import { importLines, makeSeller, openTestDatabase } from '@/testing/seller'
import { makeUser } from '@/testing/users'
import { makeSample } from './records'
import { scanRefusedTickets } from './scan-refused-tickets'

it('adds one refused scan for each reason to refuse entry, even if it is repeated after an interruption', async () => {
  openTestDatabase()
  const seller = await makeSeller()
  const email = `owner-${seller}@example.com`
  const sample = new Map(makeSample(new Date('2026-11-21T12:00:00Z')))
  const tickets = sample.get('tickets') ?? []
  await importLines('pages', seller, sample.get('pages') ?? [])
  await importLines('tickets', seller, tickets)
  const owner = await makeUser(seller, email, 'owner')
  for (let run = 1; run <= 2; run += 1) await scanRefusedTickets(seller, owner, tickets)
  const { rows: refusals } = await listRefusals(seller)
  expect(refusals.map(({ reason }) => reason)).toEqual(['unknown', 'other_event', 'canceled', 'already_checked_in'])
  expect(new Set(refusals.map(({ event, device, who }) => `${event} ${device} ${who}`))).toEqual(
    new Set([`Friday Late Jazz Front door ${email}`]),
  )
})
