/** Tests the messages for database errors, which say what is wrong and what to do. */
import { expect, it } from 'vitest'
import { UnavailableError } from '@/db/unavailable'
import { describeDatabaseError } from './describe-database-error'

it.each([
  ['ECONNREFUSED', /^Cannot reach the database: no\. Check DATABASE_URL and that PostgreSQL is running\.$/],
  ['55P03', /^The database canceled .*: no\. Run the command again\.$/],
  ['57014', /^The database canceled .*: no\. Run the command again\b/],
  ['40P01', /^The database canceled .*: no\. Run the command again\.$/],
  ['53100', /^The database is out of .*: no\. Free /],
  ['53300', /^The database has no free connection: no\. /],
  ['28P01', /^The database rejects the connection: no\. Check the user and the password in DATABASE_URL\b/],
  ['28000', /^The database rejects the connection: no\. Check the user and the password in DATABASE_URL\b/],
  ['3D000', /^The database rejects the connection: no\. Create the database\b/],
  ['42501', /^The database user lacks a privilege: no\. .* set MIGRATE_DATABASE_URL\b/],
])('describes the code %s of an error or of its cause', (code, message) => {
  const cause = Object.assign(new Error('no'), { code })
  expect(describeDatabaseError(cause)).toMatch(message)
  expect(describeDatabaseError(new Error('Failed query: select 1', { cause }))).toMatch(message)
})

it('describes an outage that the pool reports', () => {
  const cause = Object.assign(new Error('no'), { code: 'ECONNREFUSED' })
  const error = new UnavailableError('The database is unavailable.', { cause })
  expect(describeDatabaseError(error)).toMatch(/^Cannot reach the database: no\./)
})

it('returns undefined for a syntax error in a statement', () => {
  expect(describeDatabaseError(Object.assign(new Error('no'), { code: '42601' }))).toBeUndefined()
})

it('uses the message of the pool’s error if the error has no cause', () => {
  const error = new UnavailableError('The database did not respond within 4000 ms.', { code: 'driver_stalled' })
  expect(describeDatabaseError(error)).toBe(
    `Cannot reach the database: ${error.message} Check DATABASE_URL and that PostgreSQL is running.`,
  )
})
