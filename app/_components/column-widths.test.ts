/** Tests which columns are hidden on tablets. */
import { describe, expect, it } from 'vitest'
import type { Column } from '@/lib/catalog/columns'
import { coupons } from '@/lib/catalog/coupons'
import { customers } from '@/lib/catalog/customers'
import { payments } from '@/lib/catalog/payments'
import { subscriptions } from '@/lib/catalog/subscriptions'
import { TICKET_COLUMNS } from '@/lib/catalog/ticket-table'
import { selectWideOnly } from './column-widths'

const listDefaultWideOnly = (columns: readonly Column[]) => [...selectWideOnly(columns.filter(({ hidden }) => !hidden))]

describe('the columns hidden on tablets', () => {
  it('are codes, email addresses and pages, except in the first column', () => {
    expect(listDefaultWideOnly(customers.columns)).toEqual([])
    expect([...selectWideOnly([...customers.columns.slice(1, 2), ...customers.columns.slice(0, 1)])]).toEqual(['email'])
  })

  it('include as many others as needed to keep the rest readable', () => {
    expect(listDefaultWideOnly(coupons.columns)).toEqual(['duration', 'createdAt'])
    expect(listDefaultWideOnly(TICKET_COLUMNS)).toEqual(['pageId', 'status'])
    expect(listDefaultWideOnly(payments.columns)).toEqual(['pageId'])
    expect(listDefaultWideOnly(subscriptions.columns)).toEqual(['currentPeriodEnd', 'interval'])
  })
})
