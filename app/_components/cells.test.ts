/** Tests how tables show dates, amounts, customers, the state of coupons, and numbers of uses. */
import { afterEach, expect, it, vi } from 'vitest'
import { resources } from '@/lib/catalog'
import { makeRow } from './cells'

afterEach(() => {
  vi.useRealTimers()
})

const makeCells = (record: Record<string, unknown>) =>
  makeRow({ id: '1', ...record }, resources.payments.columns, {
    timeZone: 'Europe/Amsterdam',
    pageNames: new Map(),
  }).cells

it.each([
  ['2026-11-21T11:59:30.000Z', 'just now', 'Nov 21, 2026, 12:59 Europe/Amsterdam (2026-11-21T11:59:30.000Z)'],
  ['2026-11-21T11:55:00.000Z', '5 min. ago', 'Nov 21, 2026, 12:55 Europe/Amsterdam (2026-11-21T11:55:00.000Z)'],
  ['2026-11-20T12:00:01.000Z', '23 hr. ago', 'Nov 20, 2026, 13:00 Europe/Amsterdam (2026-11-20T12:00:01.000Z)'],
  ['2026-11-20T12:00:00.000Z', 'Nov 20, 2026, 13:00', '2026-11-20T12:00:00.000Z'],
  ['2026-11-22T12:00:00.000Z', 'Nov 22, 2026, 13:00', '2026-11-22T12:00:00.000Z'],
])('shows %s as %j, with the exact time in the tooltip', (createdAt, text, title) => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00.000Z') })
  expect(makeCells({ createdAt }).createdAt).toMatchObject({ text, title })
})

it.each([
  [{ redeemBy: '2026-11-21T11:59:59.000Z' }, 'expired'],
  [{ redeemBy: '2026-11-21T12:00:01.000Z' }, undefined],
  [{ redeemBy: '2026-11-21T11:59:59.000Z', deleted: true }, 'deleted'],
  [{}, undefined],
])('marks the coupon %j as %s', (members, mark) => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00.000Z') })
  const row = makeRow({ id: '1', code: 'SPRING', ...members }, resources.coupons.columns, { timeZone: 'UTC', pageNames: new Map() })
  expect(row.mark).toBe(mark)
})

it.each([
  [1, { text: '1', unit: 'use' }],
  [2000, { text: '2,000', unit: 'uses' }],
])('adds the unit to a coupon’s number of uses: %d', (timesRedeemed, cell) => {
  const row = makeRow({ id: '1', timesRedeemed }, resources.coupons.columns, { timeZone: 'UTC', pageNames: new Map() })
  expect(row.cells.timesRedeemed).toMatchObject(cell)
})

it.each([
  [
    { customerEmail: 'ada@example.com', billing: { name: 'Ada', companyName: 'Engines' } },
    { text: 'Ada', note: 'ada@example.com' },
  ],
  [
    { customerEmail: 'ada@example.com', billing: { companyName: 'Engines' } },
    { text: 'Engines', note: 'ada@example.com' },
  ],
  [{ billing: { name: '', companyName: 'Engines' } }, { text: 'Engines' }],
  [{ customerEmail: 'ada@example.com', billing: {} }, { text: 'ada@example.com' }],
])('shows the customer of %j by name, company or email address, in this order', (members, cell) => {
  expect(makeCells(members).customerEmail).toMatchObject(cell)
})

it('puts a space at which the line can break between a currency code and the amount', () => {
  expect(makeCells({ amount: 1_234_567, currency: 'kwd' }).amount).toEqual({ kind: 'money', text: 'KWD 1,234.567' })
})
