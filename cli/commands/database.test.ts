/** Tests that PostgreSQL's programs accept what `desk db url` prints. */
// @module-tag slow
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it.each([
  ['?prepare=false', ''],
  ['?sslmode=require&prepare=false&options=-c%20geqo%3Doff', '?sslmode=require&options=-c%20geqo%3Doff'],
])('prints a connection string that ends with %s without the option `prepare`', async (query, printed) => {
  const url = 'postgres://user:p%3Fprepare%3D@%2Fvar%2Frun%2Fpostgresql/desk'
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'cli/desk.ts', 'db', 'url'], {
    env: { ...process.env, DATABASE_URL: `${url}${query}` },
  })
  expect(stdout).toBe(`${url}${printed}\n`)
})
