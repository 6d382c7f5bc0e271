/** An error of the database says what is wrong and what to do. */
import { expect, it } from 'vitest'
import { UnavailableError } from '@/db/unavailable'
import { describeOutage } from './describe-outage'

it.each([
  ['ECONNREFUSED', /^Cannot reach the database: no\. Check DATABASE_URL and that PostgreSQL is running\.$/],
  ['55P03', /^The database canceled .*: no\. Run the command again\.$/],
  ['57014', /^The database canceled .*: no\. Run the command again\b/],
  ['40P01', /^The database canceled .*: no\. Run the command again\.$/],
  ['53100', /^The database is out of .*: no\. Free /],
  ['53300', /^The database has no free connection: no\. /],
])('for %s', (code, message) => {
  const cause = Object.assign(new Error('no'), { code })
  expect(describeOutage(cause)).toMatch(message)
  expect(describeOutage(new UnavailableError('The database is unavailable.', { cause }))).toMatch(message)
})

it('without a cause is the message of the error', () => {
  const error = new UnavailableError('The database did not respond within 4000 ms.', { code: 'driver_stalled' })
  expect(describeOutage(error)).toBe(`Cannot reach the database: ${error.message} Check DATABASE_URL and that PostgreSQL is running.`)
})
