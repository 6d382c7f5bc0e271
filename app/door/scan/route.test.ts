/** POST /door/scan: its number of SQL statements, its response and its limits. */
// @module-tag slow
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import { signIn } from '@/lib/accounts/sign-in'
import { changeTwoFactorRequirement } from '@/lib/accounts/team'
import { createSecret, enableTwoFactor } from '@/lib/accounts/two-factor'
import { addUser } from '@/lib/accounts/users'
import { getTicketDetails } from '@/lib/admission/ticket-details'
import { readActivity } from '@/lib/reports/activity'
import { whileListsAreBusy } from '@/testing/busy-pools'
import { doorRequest } from '@/testing/devices'
import { importLines, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { sessionCookie } from '@/testing/session-cookie'
import { countStatements } from '@/testing/statements'
import { POST as admit } from '../admit/route'
import type { ScanResponse } from '../responses'
import { POST as scan } from './route'

const session = { sessionId: '' }

beforeAll(openTestDatabase)

const PASSWORD = 'correct horse battery'

/** Creates tickets, and signs in a user with the role `door`. @returns the first ticket, and a function that sends the user's requests */
async function openDoor(lines: Line[] = [{ orderId: 'BK-1' }, { orderId: 'BK-1' }]) {
  const seller = await makeSeller()
  const email = `door-${seller}@example.com`
  await addUser(seller, { email, password: PASSWORD, role: 'door' })
  const signedIn = await signIn(email, PASSWORD, '192.0.2.1')
  if (signedIn.outcome !== 'signed_in') throw new Error(signedIn.outcome)
  session.sessionId = signedIn.sessionId
  const tickets = lines.map((line) => minimal('tickets', { customerName: 'Ada', ...line }))
  await importLines('tickets', seller, tickets)
  let sent = 0
  const post = async (handler: typeof scan, body: Line) => {
    sent += 1
    return handler(doorRequest('/door/scan', await sessionCookie(session.sessionId), { key: `key-${sent}`, ...body }))
  }
  const [first] = tickets
  return { seller, email, code: String(first?.qrCode), id: String(first?.id), post }
}

const read = async (response: Response) => (await response.json()) as ScanResponse

describe('a scan on the check-in page', () => {
  it('runs seven statements, and returns the ticket, its history and the other tickets in its order', async () => {
    const { post, code, email, id } = await openDoor()
    let response: ScanResponse | undefined
    const count = await countStatements(async () => {
      response = await read(await post(scan, { code, checkIn: true }))
    })
    // The statements: session, BEGIN, lock, context, write, details, COMMIT. The browser updates the turnout without reading it.
    expect(count).toBe(7)
    expect(response).toMatchObject({
      kind: 'admitted',
      didCheckIn: true,
      ticket: {
        guest: { id, name: 'Ada', checkInStatus: 'CHECKEDIN', last: { status: 'CHECKEDIN', method: 'QRSCAN' } },
        history: [{ sequence: 1, status: 'CHECKEDIN', who: email }],
        others: [{ checkInStatus: 'UNCHECKEDIN' }],
      },
    })
  })

  it('returns a committed admission even if the database fails after COMMIT', async () => {
    const { post, code, seller, id } = await openDoor()
    let response: Response | undefined
    await countStatements(async () => {
      response = await post(scan, { code, checkIn: true })
    }, new Error('the database is down'))
    expect(response?.status).toBe(200)
    expect(response && (await read(response))).toMatchObject({ kind: 'admitted', ticket: { guest: { name: 'Ada' } } })
    expect((await getTicketDetails(seller, id, undefined)).history).toMatchObject([{ status: 'CHECKEDIN' }])
  })

  it('works while every connection for lists and pages is in use', async () => {
    const { post, code } = await openDoor()
    const response = await whileListsAreBusy(() => post(scan, { code, checkIn: true }))
    expect(response.status).toBe(200)
  })

  it('returns the stored outcome and the ticket’s current state for a repeated idempotency key', async () => {
    const { post, code, id } = await openDoor()
    const first = await read(await post(scan, { code, checkIn: true, key: 'once' }))
    expect(first.replayed).toBe(false)
    // The order of the members is not part of the request.
    expect(await read(await post(scan, { checkIn: true, code, key: 'once' }))).toEqual({ ...first, replayed: true })
    const mismatch = await post(admit, { ticketId: id, key: 'once' })
    expect(mismatch.status).toBe(422)
    expect(await mismatch.json()).toMatchObject({ code: 'idempotency_mismatch' })
  })

  it('records the code’s source, and replays the outcome for a retry with a different source', async () => {
    const { post, code, seller, id } = await openDoor()
    const first = await read(await post(scan, { code, checkIn: true, source: 'typed', key: 'once' }))
    expect(first.ticket).toMatchObject({ guest: { last: { source: 'typed' } }, history: [{ method: 'QRSCAN', source: 'typed' }] })
    expect(await read(await post(scan, { code, checkIn: true, source: 'camera', key: 'once' }))).toEqual({ ...first, replayed: true })
    const again = await read(await post(scan, { code, checkIn: true, source: 'camera' }))
    expect(again.message).toMatch(/ with a typed code on /)
    const activity = await readActivity(seller, { resource: 'tickets', id })
    expect(activity.map(({ kind, source }) => [kind, source])).toEqual([
      ['refusal', null],
      ['scan', 'typed'],
    ])
    expect((await post(scan, { code, checkIn: true, source: 'guest_list' })).status).toBe(400)
  })

  it('reports a check-in only for the request that made it, not for a preview, a second scan or an unknown code', async () => {
    const { post, code, id } = await openDoor()
    expect(await read(await post(scan, { code, checkIn: false }))).toMatchObject({ kind: 'previewed', didCheckIn: false })
    expect(await read(await post(admit, { ticketId: id }))).toMatchObject({
      kind: 'admitted',
      didCheckIn: true,
      ticket: { guest: { last: { method: 'MANUAL' } } },
    })
    const again = await read(await post(scan, { code, checkIn: true }))
    expect(again).toMatchObject({ kind: 'already_checked_in', didCheckIn: false })
    expect(again.message).toMatch(/^Already checked in from the guest list on \w+ \d+, \d{4} at \d\d:\d\d$/)
    const unknown = await read(await post(scan, { code: 'unknown', checkIn: true }))
    expect(unknown).toMatchObject({ kind: 'unknown', didCheckIn: false })
    expect(unknown.ticket).toBeUndefined()
  })

  it('rejects a ticket for another event, and returns it without the other tickets in its order', async () => {
    const { post, code } = await openDoor([
      { orderId: 'BK-1', pageId: 'a'.repeat(24) },
      { orderId: 'BK-1', pageId: 'a'.repeat(24) },
    ])
    expect(await read(await post(scan, { code, checkIn: true, pageId: 'b'.repeat(24) }))).toMatchObject({
      kind: 'other_event',
      ticket: { guest: { checkInStatus: 'UNCHECKEDIN' }, others: [] },
    })
    expect(await read(await post(scan, { code, checkIn: true, pageId: 'a'.repeat(24) }))).toMatchObject({
      kind: 'admitted',
      ticket: { others: [{ pageId: 'a'.repeat(24) }] },
    })
  })

  it('ignores case and spaces if no ticket has exactly this code, and accepts a short ID that only one ticket has', async () => {
    const { post, code } = await openDoor([{ ticketShortId: 'LH-7' }, { ticketShortId: 'LH-8' }, { ticketShortId: 'LH-8' }])
    const typed = ` ${code.toLowerCase().replace(/(.{4})/g, '$1 ')}`
    let first: ScanResponse | undefined
    const count = await countStatements(async () => {
      first = await read(await post(scan, { code: typed, checkIn: true, key: 'typed' }))
    })
    // The same number of statements as for the exact code.
    expect(count).toBe(7)
    expect(first).toMatchObject({ kind: 'admitted', ticket: { guest: { shortId: 'LH-7' } } })
    expect(await read(await post(scan, { code: typed, checkIn: true, key: 'typed' }))).toMatchObject({ kind: 'admitted', replayed: true })
    expect(await read(await post(scan, { code: 'lh-7', checkIn: true }))).toMatchObject({ kind: 'already_checked_in' })
    expect(await read(await post(scan, { code: 'lh-8', checkIn: true }))).toMatchObject({ kind: 'unknown' })
  })

  it('records a late scan without admitting the guest, or replays the outcome if the original request admitted them', async () => {
    const { post, code, id } = await openDoor()
    const late = await read(await post(scan, { code, checkIn: true, key: 'late', late: true }))
    expect(late).toMatchObject({
      kind: 'previewed',
      didCheckIn: false,
      replayed: false,
      ticket: { guest: { checkInStatus: 'UNCHECKEDIN' } },
    })
    expect(await read(await post(admit, { ticketId: id, key: 'manual', late: true }))).toMatchObject({
      kind: 'previewed',
      didCheckIn: false,
    })
    const first = await read(await post(scan, { code, checkIn: true, key: 'lost' }))
    expect(first.kind).toBe('admitted')
    expect(await read(await post(scan, { code, checkIn: true, key: 'lost', late: true }))).toEqual({ ...first, replayed: true })
  })

  it('rejects previews, but not admissions, after 100 unknown codes in a minute', async () => {
    const { post, code } = await openDoor()
    for (let index = 0; index < 100; index += 1)
      expect((await post(scan, { code: `guess-${index}`, checkIn: index % 2 === 0 })).status).toBe(200)
    const refused = await Promise.all([code, 'guess'].map(async (tried) => post(scan, { code: tried, checkIn: false })))
    expect(refused.map(({ status }) => status)).toEqual([429, 429])
    expect(await refused[0]?.json()).toMatchObject({ code: 'rate_limited', message: expect.stringMatching(/Retry in \d+ seconds?\.$/) })
    expect(await read(await post(scan, { code, checkIn: true }))).toMatchObject({ kind: 'admitted' })
  })

  it('returns the same error for tickets for another event as for unknown codes after 100 unknown codes in a minute', async () => {
    const { post, code } = await openDoor([{ pageId: 'a'.repeat(24) }])
    for (let index = 0; index < 100; index += 1) await post(scan, { code: `guess-${index}`, checkIn: true })
    // A repeated idempotency key must not return the outcome either.
    const sent = [code, code, 'guess'].map((tried) => ({ code: tried, checkIn: true, pageId: 'b'.repeat(24), key: `other-${tried}` }))
    const refused: [number, string][] = []
    for (const body of sent) {
      const response = await post(scan, body)
      const { message } = (await response.json()) as { message: string }
      refused.push([response.status, message.replace(/\d+ seconds?/, 'n seconds')])
    }
    expect(refused[0]?.[0]).toBe(429)
    expect(refused).toEqual(Array(3).fill(refused[0]))
    expect(await read(await post(scan, { code, checkIn: true, pageId: 'a'.repeat(24) }))).toMatchObject({ kind: 'admitted' })
  })

  it('returns the same error for guests who are not checked in as for unknown codes after 100 unknown codes in a minute', async () => {
    const { post, code } = await openDoor()
    for (let index = 0; index < 100; index += 1) await post(scan, { code: `guess-${index}`, checkIn: true })
    for (const tried of [code, 'guess']) expect((await post(scan, { code: tried, checkIn: true, direction: 'out' })).status).toBe(429)
    expect(await read(await post(scan, { code, checkIn: true }))).toMatchObject({ kind: 'admitted' })
    expect(await read(await post(scan, { code, checkIn: true, direction: 'out' }))).toMatchObject({ kind: 'checked_out' })
  })

  it('rejects users who have not set up the two-factor authentication that their seller requires', async () => {
    const { seller, post, code } = await openDoor()
    const email = `owner-${seller}@example.com`
    const owner = { userId: await addUser(seller, { email, password: PASSWORD, role: 'owner' }), email, sellerId: seller, sellerName: '' }
    const { sealed, text } = await createSecret(owner)
    const now = new TOTP({ secret: Secret.fromBase32(text.replaceAll(' ', '')) }).generate()
    await enableTwoFactor(owner, '', { sealed, code: now, password: PASSWORD })
    await changeTwoFactorRequirement(seller, true, owner)
    const refused = await post(scan, { code, checkIn: true })
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('Set up two-factor authentication first')])
    await changeTwoFactorRequirement(seller, false, owner)
    expect(await read(await post(scan, { code, checkIn: true }))).toMatchObject({ kind: 'admitted' })
  })

  it('rejects a request without a session', async () => {
    const { post, code } = await openDoor()
    session.sessionId = ''
    expect((await post(scan, { code, checkIn: true })).status).toBe(401)
  })
})
