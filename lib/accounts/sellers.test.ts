/** The database and the server agree on a seller's time zone, and edits change only the members that are sent. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { createSeller, findSeller, newSellerSchema, sellerUpdateSchema, updateSeller } from './sellers'

beforeAll(openTestDatabase)

const owner = () => ({ name: 'Shop', email: `o-${Math.random()}@example.com`, password: 'passpass1234' })

/** Asserts that the time zone is rejected for new and existing sellers. */
async function expectUnknown(timeZone: string) {
  await expect(createSeller({ ...owner(), timeZone })).rejects.toMatchObject({ code: 'time_zone_unknown' })
  const seller = await makeSeller()
  await expect(updateSeller(seller, { timeZone }, undefined)).rejects.toMatchObject({ code: 'time_zone_unknown' })
  expect(await findSeller(seller)).toMatchObject({ timeZone: 'UTC' })
}

describe('the time zone', () => {
  it.each(['AET', 'IST', 'PST'])('cannot be the abbreviation %s', (timeZone) => {
    expect(newSellerSchema.safeParse({ ...owner(), timeZone }).success).toBe(false)
    expect(sellerUpdateSchema.safeParse({ timeZone }).success).toBe(false)
  })

  it('cannot be one that the database does not know', async () => {
    await expectUnknown('Mars/Base')
  })

  it('cannot be one in which the database and the server disagree on the current time', async () => {
    const parts = new Intl.DateTimeFormat('en-GB', { dateStyle: 'short', timeStyle: 'short' }).formatToParts(0)
    const format = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts').mockReturnValue(parts)
    try {
      await expectUnknown('Asia/Tokyo')
    } finally {
      format.mockRestore()
    }
  })

  it.each(['UTC', 'Europe/Amsterdam', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires'])('can be %s', async (timeZone) => {
    const { sellerId } = await createSeller({ ...owner(), timeZone })
    await updateSeller(await makeSeller(), { timeZone }, undefined)
    expect(await findSeller(sellerId)).toMatchObject({ timeZone })
  })
})

it('an edit does not change omitted members', async () => {
  const seller = await makeSeller()
  await updateSeller(seller, { timeZone: 'Europe/Amsterdam' }, undefined)
  await updateSeller(seller, { name: 'Renamed' }, undefined)
  await updateSeller(seller, {}, undefined)
  expect(await findSeller(seller)).toMatchObject({ name: 'Renamed', timeZone: 'Europe/Amsterdam' })
})
