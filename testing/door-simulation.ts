/**
 * Simulates an evening at the doors, with copied and canceled tickets, tickets sold after the doors go offline, devices with wrong clocks,
 * and killed pages. The offline engine, the routes and PostgreSQL are real. Time is simulated on the devices, on the server and in the
 * database.
 */
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { vi } from 'vitest'
import type { QueuedScan } from '@/app/door/offline/store'
import { POST as scansRoute } from '@/app/door/scans/route'
import { database, openDatabase, setDatabase } from '@/db/client'
import { recountOccupancy } from '@/lib/admission/recount-occupancy'
import { countTurnout } from '@/lib/admission/turnout'
import { recountSums } from '@/lib/reports/recount-sums'
import { doorRequest, makeDevice, makeOwner, newId, setEntryPolicy } from './devices'
import { openDevice } from './offline-device'
import { createDatabase, newDatabaseName } from './postgres'
import { importLines, type Line, makeSeller, minimal } from './seller'

/** `copies` is the number of people with copied tickets; `orders` is the number of random orders in which late scans are sent. */
export type SimulationSize = { guests: number; devices: number; copies: number; canceled: number; orders: number }

export type SimulationResult = {
  /** The differences between the stored data and what happened at the doors. */
  problems: string[]
  /** The number of distinct final states across all orders of the late scans: 1 if the order does not matter. */
  states: number
  /** The number of scans, excluding overrides. */
  scans: number
  /** The number of scans still unsent at the end of the evening. */
  late: number
  /** The number of conflicts of each kind. */
  conflicts: Record<string, number>
  /** The number of people inside at the end. */
  inside: number
}

const MINUTE = 60_000

/** Returns a generator of pseudorandom numbers below a limit (mulberry32). */
function makeRandom(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Overrides a database's clock functions with ones that read the time from a sequence. */
const CLOCK = `
  create schema sim;
  create sequence sim.clock minvalue 0;
  create function sim.clock_timestamp() returns timestamptz language sql volatile as 'select to_timestamp(last_value / 1000.0) from sim.clock';
  create function sim.now() returns timestamptz language sql volatile as 'select to_timestamp(last_value / 1000.0) from sim.clock'`

/** Creates a database with a simulated clock. */
async function openSimulatedDatabase() {
  const shared = String(process.env.TEST_DATABASE_URL)
  const { url, drop } = await createDatabase(shared)
  const name = url.slice(url.lastIndexOf('/') + 1)
  const admin = postgres(shared, { max: 1, onnotice: () => {} })
  await admin.unsafe(`alter database ${name} set search_path = sim, public, pg_catalog`)
  const open = (databaseUrl = url) => openDatabase({ url: databaseUrl, max: 12, statementMs: 60_000 })
  const setUp = postgres(url, { max: 1, onnotice: () => {} })
  await setUp.unsafe(CLOCK)
  await setUp.end()
  return {
    open: () => open(),
    /** Runs `work` on a copy of the database. Requires that no connection to the original is open. */
    async onCopy<T>(work: () => Promise<T>): Promise<T> {
      const copy = newDatabaseName()
      await admin.unsafe(`create database ${copy} template ${name} strategy file_copy`)
      await admin.unsafe(`alter database ${copy} set search_path = sim, public, pg_catalog`)
      const pool = open(url.replace(name, copy))
      setDatabase(pool)
      try {
        return await work()
      } finally {
        await pool.close(0)
        await admin.unsafe(`drop database ${copy} with (force)`)
      }
    },
    async end() {
      await drop()
      await admin.end()
    },
  }
}

/** Sets the clocks of this process and of the database. @param time milliseconds since 1970 */
async function setTime(time: number): Promise<void> {
  vi.setSystemTime(time)
  await database().use(({ rows }) => rows(sql`select setval('sim.clock', ${time}::bigint)`))
}

/** A guest's actual entry or exit. `at` is in milliseconds since 1970. */
type Movement = { at: number; ticket: number; direction: 'in' | 'out'; scanId: string }

/** Returns how many people are inside. A guest stays inside until someone leaves with the same ticket. */
function countPeople(movements: readonly Movement[]): number {
  const people = new Map<number, number>()
  for (const { ticket, direction } of movements.toSorted((a, b) => a.at - b.at))
    people.set(ticket, Math.max(0, (people.get(ticket) ?? 0) + (direction === 'in' ? 1 : -1)))
  return [...people.values()].reduce((sum, count) => sum + count, 0)
}

/** Returns all data that late scans change, except generated IDs and the time of the change. */
async function readState(sellerId: string, pageId: string): Promise<string> {
  const read = (query: ReturnType<typeof sql>) => database().use(({ rows }) => rows(query))
  const { perMinute: _, ...turnout } = await countTurnout(sellerId, pageId)
  return JSON.stringify([
    await read(sql`select ticket_id, sequence, method, status, day::text, at::text, actor_id, is_current from check_ins
      where seller_id = ${sellerId} order by ticket_id, sequence`),
    await read(
      sql`select id, ticket_id, decision, conflict, corrected_at::text from offline_scans where seller_id = ${sellerId} order by id`,
    ),
    await read(
      sql`select id, check_in_status, check_in_count, has_left, extra_inside from tickets where seller_id = ${sellerId} order by id`,
    ),
    turnout,
  ])
}

/** The maximum number of attempts to send a batch while the server responds with a 503. */
const MAX_ATTEMPTS = 20

/** Simulates an evening. @param seed the seed for all random choices */
export async function simulateDoors(seed: number, size: SimulationSize): Promise<SimulationResult> {
  const random = makeRandom(seed)
  const simulated = await openSimulatedDatabase()
  const pool = simulated.open()
  setDatabase(pool)
  const start = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  try {
    await setTime(start)
    const sellerId = await makeSeller()
    const owner = await makeOwner(sellerId)
    const page = minimal('pages', { name: 'Simulation' })
    const pageId = String(page.id)
    await importLines('pages', sellerId, [page])
    await setEntryPolicy(sellerId, 'reentry')
    const makeCode = (index: number) => `K7qW2xZr9LmT4vBn8HcYs3Dj${String(index).padStart(5, '0')}`
    const tickets: Line[] = Array.from({ length: size.guests }, (_, index) => minimal('tickets', { qrCode: makeCode(index), pageId }))
    // Every tenth ticket is sold during the evening, after most doors have lost their connection.
    const isSoldLate = (_: unknown, index: number) => index % 10 === 9
    await importLines(
      'tickets',
      sellerId,
      tickets.filter((ticket, index) => !isSoldLate(ticket, index)),
    )

    const openDoor = async (cookie: string, clockAheadMs: number, storage?: string) => ({
      ...(await openDevice(cookie, storage, clockAheadMs)),
      cookie,
      clockAheadMs,
      isAlive: true,
    })
    const doors = await Promise.all(
      Array.from({ length: size.devices }, async (_, index) => {
        const { cookie } = await makeDevice(sellerId, owner, { name: `Gate ${index}`, rights: ['offline', 'checkout'] })
        return openDoor(cookie, (random(21) - 10) * MINUTE)
      }),
    )
    for (const { engine } of doors) await engine.synchronize()

    // Guests and people with copied tickets arrive within 40 minutes. All doors but one go offline in minute 10, and half of those come
    // back online in minute 30.
    const arrivals = [
      ...Array.from({ length: size.guests }, (_, ticket) => ticket),
      ...Array.from({ length: size.copies }, () => random(size.guests)),
    ]
    /** `overrideAt` is the index of the door that lets the guest in with an unknown code. */
    type Visit = { at: number; ticket: number; direction: 'in' | 'out'; overrideAt?: number }
    const visits: Visit[] = arrivals.map((ticket) => ({ at: start + MINUTE + random(39 * MINUTE), ticket, direction: 'in' }))
    const movements: Movement[] = []
    /** The IDs of the unsent scans of the lost device. */
    const lostScanIds = new Set<string>()
    let scans = 0
    let minute = 0

    /** Simulates the events at the start of a minute. */
    async function startMinute(): Promise<void> {
      const [, ...others] = doors
      if (minute === 10) for (const { network } of others) network.state = 'down'
      if (minute === 11) {
        await importLines('tickets', sellerId, tickets.filter(isSoldLate))
        const canceled = tickets
          .slice(0, size.canceled)
          .map((ticket) => ({ ...ticket, status: 'CANCELED', canceledAt: new Date().toISOString() }))
        await importLines('tickets', sellerId, canceled)
      }
      // The check-in pages of three devices are killed and reopened with their stored data. In minute 25, one of these devices is lost.
      if (minute === 20) {
        for (const index of [1, 2, 3]) {
          const killed = doors[index]
          if (!killed) continue
          const { cookie, clockAheadMs, storage, network } = killed
          doors[index] = await openDoor(cookie, clockAheadMs, storage)
          doors[index].network.state = network.state
        }
      }
      if (minute === 25 && doors[3]) {
        doors[3].isAlive = false
        for (const { id } of await doors[3].store.queued(100_000)) lostScanIds.add(id)
      }
      // Half of the offline doors come back online but lose half of the responses. The others send their scans at the end.
      if (minute === 30) {
        for (const { network } of others.filter((_, index) => index % 2 === 1))
          Object.assign(network, { state: 'up', losesResponse: () => random(2) === 0 })
      }
      for (const { isAlive, network, engine } of doors) if (isAlive && network.state !== 'down') await engine.synchronize()
    }

    async function visit({ at, ticket, direction, overrideAt }: Visit): Promise<void> {
      const available = doors.filter(({ isAlive }) => isAlive)
      const door = overrideAt === undefined ? available[random(available.length)] : doors[overrideAt]
      if (!door?.isAlive) return
      const request = { id: newId(), code: makeCode(ticket), checkIn: true, pageId }
      let scanId = request.id
      if (overrideAt === undefined) {
        const scan = await door.engine.scan({ ...request, direction })
        if (scan.decidedBy === 'none') throw new Error('A device has no ticket list.')
        const kind = scan.decidedBy === 'device' ? scan.decision.kind : ((await scan.response.json()) as { kind: string }).kind
        scans += 1
        if (direction === 'in' && scan.decidedBy === 'device' && kind === 'unknown' && random(3) > 0)
          visits.push({ at: at + 5_000, ticket, direction, overrideAt: doors.indexOf(door) })
        // A guest who leaves is outside, whatever the device shows.
        if (direction === 'in' && kind !== 'admitted') return
      } else scanId = (await door.engine.override(request)) ?? scanId
      movements.push({ at, ticket, direction, scanId })
      const next = at + 3 * MINUTE + random(10 * MINUTE)
      if (direction === 'in' && random(4) === 0) visits.push({ at: next, ticket, direction: 'out' })
      if (direction === 'out' && random(2) === 0) visits.push({ at: next, ticket, direction: 'in' })
    }

    for (;;) {
      visits.sort((a, b) => a.at - b.at)
      const next = visits.shift()
      if (!next) break
      for (; minute < Math.floor((next.at - start) / MINUTE); ) {
        minute += 1
        await setTime(start + minute * MINUTE)
        await startMinute()
      }
      await setTime(next.at)
      await visit(next)
    }

    // Send the remaining scans in batches, as devices do, in a different order on each copy of the database.
    const batches: { cookie: string; scans: QueuedScan[] }[] = []
    for (const { cookie, store } of doors.filter(({ isAlive }) => isAlive)) {
      // By then, refusals are no longer held back.
      await store.releaseHeld(() => true)
      const queued = await store.queued(100_000)
      for (let from = 0; from < queued.length; from += 7) batches.push({ cookie, scans: queued.slice(from, from + 7) })
    }
    const end = start + 90 * MINUTE
    await setTime(end)
    await pool.close(0)
    const states = new Set<string>()
    const late = batches.reduce((sum, { scans }) => sum + scans.length, 0)
    const problems: string[] = []
    const conflicts: Record<string, number> = {}
    let inside = 0
    for (let order = 0; order < size.orders; order += 1) {
      await simulated.onCopy(async () => {
        await setTime(end)
        const shuffled = batches.map((batch) => ({ batch, key: random(1_000_000) })).toSorted((a, b) => a.key - b.key)
        for (const { batch } of shuffled) {
          // Send about half of the batches twice, as if the first response had been lost.
          for (let times = 1 + random(2); times > 0; times -= 1) {
            const send = () => scansRoute(doorRequest('/door/scans', batch.cookie, { protocol: 1, scans: batch.scans }))
            let response = await send()
            // A server on a busy machine may reject a batch with a 503, in which case a device would retry.
            for (let attempt = 1; response.status === 503 && attempt < MAX_ATTEMPTS; attempt += 1) response = await send()
            if (response.status !== 200) problems.push(`order ${order}: ${response.status}`)
          }
        }
        states.add(await readState(sellerId, pageId))
        if (order > 0) return
        const reported = movements.filter(({ scanId }) => !lostScanIds.has(scanId))
        ;({ inside } = await countTurnout(sellerId, pageId))
        const people = countPeople(reported)
        if (inside !== people) problems.push(`${inside} people are counted as inside, but ${people} are inside`)
        const differences = [...(await recountOccupancy(false)), ...(await recountSums(false))]
        if (differences.length > 0) problems.push(`wrong sums: ${JSON.stringify(differences)}`)
        const found = await database().use(({ rows }) =>
          rows<{ kind: string; count: number }>(sql`
            select conflict as kind, count(*)::int as count from offline_scans where conflict is not null group by 1 order by 1`),
        )
        for (const { kind, count } of found) conflicts[kind] = count
        // Everyone who was let in must be recorded exactly once, either in the history or as a conflict.
        const [recorded] = await database().use(({ rows }) =>
          rows<{ entries: number; extra: number }>(sql`
            select (select count(*)::int from check_ins where status = 'CHECKEDIN') as entries,
              (select count(*)::int from offline_scans where decision = 'admitted' and conflict in ('double_entry', 'canceled')) as extra`),
        )
        const turnedAway = await countUndoneCheckIns()
        const entered = reported.filter(({ direction }) => direction === 'in').length
        const counted = (recorded?.entries ?? 0) + (recorded?.extra ?? 0) - turnedAway
        if (counted !== entered) problems.push(`${counted} entries are recorded, but ${entered} guests were let in`)
      })
    }
    return { problems, states: states.size, scans, late, conflicts, inside }
  } finally {
    vi.useRealTimers()
    setDatabase(undefined)
    await pool.close(0)
    await simulated.end()
  }
}

/** Returns the number of guests whom the server checked in but the device turned away. */
async function countUndoneCheckIns(): Promise<number> {
  const [row] = await database().use(({ rows }) =>
    rows<{ count: number }>(sql`select count(*)::int as count from check_ins where status = 'UNCHECKEDIN' and method = 'MANUAL'`),
  )
  return row?.count ?? 0
}
