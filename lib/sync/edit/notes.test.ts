/** Notes on records are shown in the timeline, can be deleted by their authors and owners, and are redacted by an erasure. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeOwner } from '@/testing/devices'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { lockWriters } from '../../accounts/erasure-lock'
import { listAudit } from '../../listing/list-audit'
import { readActivity } from '../../reports/activity'
import { eraseCustomerById } from '../erase/erase-customer'
import { addNote, deleteNote, noteText, restoreNote } from './notes'

beforeAll(openTestDatabase)

it('counts and stores each line break as one character, although forms send two', () => {
  const text = `${'x\n'.repeat(20)}${'y'.repeat(1_960)}`
  expect(noteText.parse(` ${text.replaceAll('\n', '\r\n')}\r\n`)).toBe(text)
  expect(noteText.safeParse(`${text}z`).success).toBe(false)
  expect(noteText.safeParse(' \r\n ').success).toBe(false)
})

async function makeShop() {
  const sellerId = await makeSeller()
  const { userId, email } = await makeOwner(sellerId)
  const customer = minimal('customers', { email: 'ada@example.com', name: 'Ada Lovelace' })
  const payment = minimal('payments', { customerId: customer.id, customerEmail: 'ada@example.com', billing: { name: 'Ada Lovelace' } })
  await importLines('customers', sellerId, [customer])
  await importLines('payments', sellerId, [payment])
  const id = String(payment.id)
  return {
    sellerId,
    by: { userId, email },
    customerId: String(customer.id),
    id,
    readNotes: () => readActivity(sellerId, { resource: 'payments', id }),
  }
}

it('shows a note with its author in the record’s timeline, and does not write its text to the audit log', async () => {
  const { sellerId, by, id, readNotes } = await makeShop()
  const noteId = await addNote(sellerId, by, { resource: 'payments', id }, 'Called, will pay on Friday')
  expect(await readNotes()).toMatchObject([
    { kind: 'note', id: noteId, text: 'Called, will pay on Friday', who: by.email, userId: by.userId },
  ])
  const { rows: entries } = await listAudit(sellerId)
  expect(entries[0]).toMatchObject({ action: 'note.added', subject: id, email: by.email, changes: {} })
  expect(await readActivity(sellerId, { resource: 'bookings', id })).toEqual([])
})

it('allows only a note’s author and owners to delete it, and records the deletion in the audit log', async () => {
  const { sellerId, by, id, readNotes } = await makeShop()
  const noteId = String(await addNote(sellerId, by, { resource: 'payments', id }, 'Wrong number'))
  const other = { userId: 'another', email: 'other@example.com' }
  expect(await deleteNote(sellerId, other, noteId, false)).toBeUndefined()
  expect(await deleteNote(await makeSeller(), by, noteId, true)).toBeUndefined()
  expect(await readNotes()).toHaveLength(1)
  expect(await deleteNote(sellerId, other, noteId, true)).toBeDefined()
  expect(await readNotes()).toEqual([])
  expect((await listAudit(sellerId)).rows[0]).toMatchObject({ action: 'note.deleted', subject: id, email: other.email })
})

it('restores a deleted note once, with its author and time, for the user who deleted it', async () => {
  const { sellerId, by, id, readNotes } = await makeShop()
  const noteId = String(await addNote(sellerId, by, { resource: 'payments', id }, 'Will pay on Friday'))
  const before = await readNotes()
  const owner = { userId: 'owner', email: 'owner@example.com' }
  const copied = String(await deleteNote(sellerId, owner, noteId, true))
  expect(Buffer.from(copied, 'base64url').toString('latin1')).not.toContain('Friday')
  expect(await restoreNote(sellerId, by, copied)).toBe(false)
  expect(await restoreNote(await makeSeller(), owner, copied)).toBe(false)
  expect(await restoreNote(sellerId, owner, '')).toBe(false)
  expect(await readNotes()).toEqual([])
  expect(await restoreNote(sellerId, owner, copied)).toBe(true)
  expect(await readNotes()).toEqual(before)
  expect((await listAudit(sellerId)).rows[0]).toMatchObject({ action: 'note.added', subject: id, email: owner.email })
  expect(await restoreNote(sellerId, owner, copied)).toBe(false)
})

it('does not restore a note if its record has been deleted, or a customer has been erased, since the note was deleted', async () => {
  const { sellerId, by, id, customerId, readNotes } = await makeShop()
  const other = minimal('payments')
  await importLines('payments', sellerId, [other])
  const remove = async (recordId: string) =>
    String(await deleteNote(sellerId, by, String(await addNote(sellerId, by, { resource: 'payments', id: recordId }, 'Ada called')), false))
  const [first, second] = [await remove(id), await remove(String(other.id))]
  await database().use(({ rows }) => rows(sql`delete from payments where seller_id = ${sellerId} and id = ${String(other.id)}`))
  expect(await restoreNote(sellerId, by, second)).toBe(false)
  await eraseCustomerById(sellerId, by, customerId)
  expect(await restoreNote(sellerId, by, first)).toBe(false)
  expect(await readNotes()).toEqual([])
})

it('rejects a note during an erasure instead of waiting, because waiting would take connections from other sellers', async () => {
  const { sellerId, by, id, readNotes } = await makeShop()
  const record = { resource: 'payments', id } as const
  const copied = String(await deleteNote(sellerId, by, String(await addNote(sellerId, by, record, 'Called')), false))
  await database().transaction(async (connection) => {
    await lockWriters(connection, sellerId)
    await expect(addNote(sellerId, by, record, 'Paid')).rejects.toMatchObject({ code: 'erasure_running' })
    await expect(restoreNote(sellerId, by, copied)).rejects.toMatchObject({ code: 'erasure_running' })
  })
  expect(await readNotes()).toEqual([])
  expect(await restoreNote(sellerId, by, copied)).toBe(true)
})

it('does not add a note to an unknown record or to another seller’s record', async () => {
  const [mine, theirs] = [await makeShop(), await makeShop()]
  expect(await addNote(mine.sellerId, mine.by, { resource: 'payments', id: theirs.id }, 'x')).toBeUndefined()
  expect(await addNote(mine.sellerId, mine.by, { resource: 'bookings', id: mine.id }, 'x')).toBeUndefined()
  expect(await theirs.readNotes()).toEqual([])
})

it('removes an erased person’s name from the notes on their own orders and on other orders', async () => {
  const { sellerId, by, id, customerId } = await makeShop()
  const other = minimal('payments')
  await importLines('payments', sellerId, [other])
  await addNote(sellerId, by, { resource: 'payments', id }, 'ada lovelace called')
  await addNote(sellerId, by, { resource: 'payments', id: String(other.id) }, 'Gift for Ada Lovelace (ada@example.com)')
  await eraseCustomerById(sellerId, by, customerId)
  const texts = await database().use(({ rows }) =>
    rows<{ text: string }>(sql`select text from record_notes where seller_id = ${sellerId} order by text`),
  )
  expect(texts.map(({ text }) => text)).toEqual(['Erased called', 'Gift for Erased (Erased)'])
})
