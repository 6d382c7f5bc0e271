/** Guests without a ticket who leave, at two servers at once. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { type Connection, database } from '@/db/client'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { changeOnce, retryTakenKey, type TicketResult } from './change-ticket'
import { decideValidation, type TicketContext } from './decide'

beforeAll(openTestDatabase)

it('an exit that is retried on another server at the same time gets the first answer', async () => {
  const sellerId = await makeSeller()
  const input = { code: 'no ticket', checkIn: true, direction: 'out' as const, metadata: [], actorId: 'user', idempotencyKey: randomUUID() }
  const change = { ...input, sellerId, body: {}, leaves: true }
  const decide = (context: TicketContext) => decideValidation(context, input)
  const serialize = ({ outcome }: TicketResult) => ({ status: 200, body: outcome })
  // Without the mutex of a server.
  const once = (connection: Connection) => changeOnce(connection, 'validation', change, decide, serialize)
  const seconds: Promise<unknown>[] = []
  const first = await database('doors').transaction(async (connection) => {
    const answered = await once(connection)
    seconds.push(retryTakenKey(() => database('doors').transaction(once)).catch((error: unknown) => error))
    await pause(60)
    return answered
  })
  const [second] = await Promise.all(seconds)
  expect(first.result).toEqual({ outcome: 'unknown' })
  expect(second).toMatchObject({ answer: first.answer })
  expect(second).not.toHaveProperty('result')
})
