/** Tests that `desk db url` removes our driver's option from the connection string, because PostgreSQL's programs reject it. */
// @module-tag slow
import { expect, it } from 'vitest'
import { runDesk } from '@/testing/programs'

it.each([
  ['?prepare=false', ''],
  ['?sslmode=require&prepare=false&options=-c%20geqo%3Doff', '?sslmode=require&options=-c%20geqo%3Doff'],
])('removes the option `prepare` from a connection string that ends with %s', async (query, printed) => {
  const url = 'postgres://user:p%3Fprepare%3D@%2Fvar%2Frun%2Fpostgresql/desk'
  expect(await runDesk(['db', 'url'], { DATABASE_URL: `${url}${query}` })).toEqual({ code: 0, stdout: `${url}${printed}\n`, stderr: '' })
})
