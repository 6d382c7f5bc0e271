/** An edit of a customer in the dashboard is rejected if the customer has changed since the form was opened. */
import { beforeAll, expect, it } from 'vitest'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { customers } from '../../catalog/customers'
import { findRecord } from '../../listing/find-record'
import { editCustomer } from './customers'

beforeAll(openTestDatabase)

it('rejects the edit if the customer has changed since the form was opened, even if its updatedAt is in the future', async () => {
  const seller = await makeSeller()
  const customer = minimal('customers', { updatedAt: '2099-12-24T00:00:00.000Z' })
  await importLines('customers', seller, [customer])
  const id = String(customer.id)
  const read = async () => String(await findRecord(customers, seller, id))
  const edit = (version: string, phone: string, sellerId = seller) =>
    editCustomer(sellerId, { userId: 'user', email: 'staff@example.com' }, id, (current) => current === version, { phone })
  const opened = await read()
  expect(await edit(opened, '1', await makeSeller())).toBe('gone')
  expect(await edit(opened, '1')).toBe('saved')
  expect(await edit(opened, '2')).toBe('changed')
  expect(JSON.parse(await read())).toMatchObject({ phone: '1' })
})
