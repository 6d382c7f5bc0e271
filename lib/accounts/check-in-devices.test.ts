/** Check-in devices are set up with single-use codes, can be revoked, and are stored without their secrets. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeDevice, makeOwner } from '@/testing/devices'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import {
  createDevice,
  enrollDevice,
  findDevice,
  findReportingDevice,
  listDevices,
  readDeviceToken,
  revokeDevice,
  storeDeviceStatus,
} from './check-in-devices'

beforeAll(openTestDatabase)

const settings = { name: 'Gate 2', pageIds: [], rights: [], days: 30 } as const
const toSettings = () => ({ ...settings, pageIds: [...settings.pageIds], rights: [...settings.rights] })

const expire = (id: string, column: 'code_expires_at' | 'expires_at') =>
  database().use(({ rows }) => rows(sql`update devices set ${sql.identifier(column)} = now() where id = ${id}`))

describe('a setup code for a check-in device', () => {
  it('sets up one device, regardless of letter case, spaces and look-alike letters', async () => {
    const seller = await makeSeller()
    const { id, code } = await createDevice(seller, toSettings(), await makeOwner(seller))
    expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    const typed = ` ${code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', ' ')}`
    const { token } = await enrollDevice(typed)
    expect(await findDevice(token)).toMatchObject({ id, sellerId: seller, name: 'Gate 2', pageIds: [], rights: [] })
    await expect(enrollDevice(code)).rejects.toMatchObject({ code: 'device_code_ended' })
  })

  it('sets up only one device if it is used several times concurrently', async () => {
    const seller = await makeSeller()
    const { code } = await createDevice(seller, toSettings(), await makeOwner(seller))
    const attempts = await Promise.allSettled([enrollDevice(code), enrollDevice(code), enrollDevice(code)])
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('is rejected once the code or the device has expired, or the device has been revoked', async () => {
    const seller = await makeSeller()
    const owner = await makeOwner(seller)
    for (const end of [
      (id: string) => expire(id, 'code_expires_at'),
      (id: string) => expire(id, 'expires_at'),
      (id: string) => revokeDevice(seller, id, owner),
    ]) {
      const { id, code } = await createDevice(seller, toSettings(), owner)
      await end(id)
      await expect(enrollDevice(code)).rejects.toMatchObject({ code: 'device_code_ended' })
    }
    await expect(enrollDevice('not a code')).rejects.toMatchObject({ code: 'device_code_ended' })
  })
})

describe('a check-in device', () => {
  it('reports its status only to its own seller', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const { id } = await makeDevice(seller, await makeOwner(seller))
    for (const [sellerId, unsentScans] of [
      [seller, 3],
      [other, 4],
    ] as const)
      await storeDeviceStatus(sellerId, id, { unsentScans, clockOffsetMs: 0, isListed: true })
    expect(await listDevices(seller)).toMatchObject([{ unsentScans: 3 }])
  })

  it('stops working when its seller revokes it or it expires, and cannot be revoked by another seller', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const owner = await makeOwner(seller)
    const [revoked, expired] = [await makeDevice(seller, owner), await makeDevice(seller, owner)]
    expect(await revokeDevice(other, revoked.id, owner)).toBe(false)
    expect(await findDevice(revoked.token)).toBeDefined()
    expect(await revokeDevice(seller, revoked.id, owner)).toBe(true)
    expect(await revokeDevice(seller, revoked.id, owner)).toBe(false)
    await expire(expired.id, 'expires_at')
    expect(await findDevice(revoked.token)).toBeUndefined()
    expect(await findDevice(expired.token)).toBeUndefined()
    for (const { token } of [revoked, expired]) expect(await findReportingDevice(token)).toMatchObject({ isValid: false })
    const states = (await listDevices(seller)).map(({ id, state }) => [id, state])
    expect(new Map(states as [string, string][])).toEqual(
      new Map([
        [revoked.id, 'revoked'],
        [expired.id, 'expired'],
      ]),
    )
    expect(await listDevices(other)).toEqual([])
  })

  it('cannot be created for another seller’s event', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const page = minimal('pages')
    await importLines('pages', other, [page])
    const theirs = { ...toSettings(), pageIds: [String(page.id)] }
    await expect(createDevice(seller, theirs, await makeOwner(seller))).rejects.toMatchObject({ code: 'page_not_found' })
  })

  it('stores only hashes of its code and token, and records each change in the audit log', async () => {
    const seller = await makeSeller()
    const owner = await makeOwner(seller)
    const { id, code } = await createDevice(seller, { ...toSettings(), rights: ['undo'] }, owner)
    const { token } = await enrollDevice(code)
    await revokeDevice(seller, id, owner)
    const [row] = await database().use(({ rows }) =>
      rows<{ device: string; actions: string }>(sql`
        select (select devices::text from devices where id = ${id}) as device,
          (select json_agg(json_build_array(action, email, details) order by id)::text from audit_log where seller_id = ${seller} and action like 'device.%') as actions`),
    )
    // PostgreSQL shows bytes in hexadecimal.
    const secrets = [code, code.replaceAll('-', ''), token].flatMap((secret) => [secret, Buffer.from(secret).toString('hex')])
    for (const secret of secrets) expect(row?.device).not.toContain(secret)
    expect(JSON.parse(row?.actions ?? '')).toEqual([
      ['device.created', owner.email, { deviceEvents: { after: [] }, deviceRights: { after: ['undo'] } }],
      ['device.enrolled', null, {}],
      ['device.revoked', owner.email, {}],
    ])
  })
})

it('reads the token from a Cookie header', () => {
  expect(readDeviceToken('theme=dark; desk-check-in-device=abc; x=y')).toBe('abc')
  expect(readDeviceToken('not-desk-check-in-device=abc')).toBeUndefined()
  expect(readDeviceToken(null)).toBeUndefined()
})
