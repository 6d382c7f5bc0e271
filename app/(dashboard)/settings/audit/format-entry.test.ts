/** Tests that the audit log names fields, products, events and records as the rest of the dashboard does. */
import { expect, it } from 'vitest'
import type { Changes } from '@/lib/accounts/audit'
import type { TitledRecord } from '@/lib/listing/find-titles'
import type { AuditEntry } from '@/lib/listing/list-audit'
import { findEntryRecord, formatChanges, formatEntry, type TextPart } from './format-entry'

const ID = '6b0133305a117e0002000811'

/** Joins pieces of text, with names in braces and the link in Markdown. */
const joinParts = (parts: TextPart[]) =>
  parts.map(({ text, isName, href }) => (href ? `[{${text}}](${href})` : isName ? `{${text}}` : text)).join('')

/** Returns an entry's sentence in the form of `joinParts`. */
function describeEntry(members: { action: string; subject: string; recordId?: string | null }, ...records: TitledRecord[]): string {
  const entry = { id: 1, at: '', email: 'ada', key: null, recordId: ID, changes: {}, ...members }
  return joinParts(formatEntry(entry, findEntryRecord(entry, records)))
}

const makeRecord = (resource: TitledRecord['resource'], title: string): TitledRecord => ({ resource, id: ID, title })

it.each([
  ['note.added', ID, makeRecord('payments', 'OR-1'), `{ada} added a note to the payment [{OR-1}](/payments/${ID})`],
  ['note.deleted', ID, makeRecord('tickets', 'LH1'), `{ada} deleted a note from the ticket [{LH1}](/tickets/${ID})`],
  ['customer.changed', ID, makeRecord('customers', 'Zoë'), `{ada} edited the customer [{Zoë}](/customers/${ID})`],
  ['customer.erased', ID, makeRecord('customers', 'Erased'), `{ada} erased the customer [{${ID}}](/customers/${ID})`],
  ['coupon.changed', 'SPRING', makeRecord('coupons', 'SUMMER'), `{ada} edited the coupon [{SPRING}](/coupons/${ID})`],
  ['ticket.newer', 'LH1', makeRecord('tickets', 'LH1'), `{ada}: ticket.newer [{LH1}](/tickets/${ID})`],
])('a %s entry about %s links to the record', (action, subject, record, sentence) => {
  expect(describeEntry({ action, subject }, record)).toBe(sentence)
})

it('an entry shows its subject instead of a link if the record no longer exists, or if several records have the ID', () => {
  const note = { action: 'note.added', subject: ID }
  expect(describeEntry(note)).toBe(`{ada} added a note to {${ID}}`)
  expect(describeEntry(note, makeRecord('payments', 'OR-1'), makeRecord('bookings', 'BK-1'))).toBe(`{ada} added a note to {${ID}}`)
  expect(describeEntry({ action: 'coupon.changed', subject: 'SPRING' }, makeRecord('payments', 'OR-1'))).toBe(
    '{ada} edited the coupon {SPRING}',
  )
  expect(describeEntry({ action: 'key.created', subject: 'Web', recordId: null }, makeRecord('payments', 'OR-1'))).toBe(
    '{ada} created the API key {Web}',
  )
})

const CONTEXT = { timeZone: 'UTC', pageNames: new Map([['a', 'Late Jazz']]) }

/** Returns the lines of an entry's changes as plain text. */
const describeChanges = (entry: AuditEntry) => formatChanges(entry, CONTEXT).map(({ parts }) => parts.map(({ text }) => text).join(''))

it.each([
  [{ members: { after: ['customerName', 'metadata'] } }, 'Changed: Customer name, Metadata'],
  [{ members: { after: ['taxId', 'taxIdType'] } }, 'Changed: Tax ID, Tax ID type'],
  [{ pageIds: { before: ['a'], after: ['a', 'deleted'] } }, 'Products and events: Late Jazz → Late Jazz, deleted'],
  [{ durationInMonths: { after: '3' } }, 'Duration in months: 3'],
  [{ enabled: { before: 'true', after: 'false' } }, 'Enabled: Yes → No'],
  [{ deleted: { before: 'false', after: 'true' } }, 'Deleted: No → Yes'],
  [{ isShared: { after: 'yes' } }, 'Shared: Yes'],
  [{ description: { before: 'CRM', after: null } }, 'Description: CRM → none'],
  [{ reason: { after: 'gone' } }, 'Reason: The endpoint returned 410'],
  [{ events: { before: ['payment.paid'], after: ['*'] } }, 'Events: payment.paid → All events'],
])('describes the change %j as %s', (changes, line) => {
  const entry = { id: 1, at: '', email: null, key: null, action: 'coupon.changed', subject: 'SPRING', recordId: null, changes }
  expect(describeChanges(entry)).toEqual([line])
})

const EMPTY_VALUES: [member: string, change: Changes[string], text: string][] = [
  ['pageIds', { before: ['a'], after: null }, 'Products and events: Late Jazz → all'],
  ['deviceEvents', { after: [] }, 'Events: all'],
  ['maxRedemptions', { before: '5', after: null }, ': 5 → no limit'],
  ['capacity', { before: '100', after: null }, 'Capacity: 100 → no limit'],
  ['redeemBy', { before: null, after: '2026-12-01T10:00:00.000Z' }, ': never → Dec 1, 2026, 10:00'],
]

it.each(EMPTY_VALUES)('describes what an empty %s means', (member, change, text) => {
  const changes = { [member]: change }
  const entry = { id: 1, at: '', email: null, key: null, action: 'coupon.changed', subject: 'SPRING', recordId: null, changes }
  expect(describeChanges(entry)).toEqual([expect.stringContaining(text)])
})

it('marks each name, so that a name in another script does not reorder the text around it', () => {
  const changes = { name: { before: 'מועדון', after: 'Club' }, deviceEvents: { after: ['نادي', 'Bar'] } }
  const entry = { id: 1, at: '', email: null, key: 'מפתח', action: 'page.changed', subject: 'Club', recordId: null, changes }
  expect(joinParts(formatEntry(entry, undefined))).toBe('API key {מפתח} edited the product or event {Club}')
  expect(formatChanges(entry, CONTEXT).map(({ parts }) => joinParts(parts))).toEqual(['Name: {מועדון} → {Club}', 'Events: {نادي}, {Bar}'])
})
