/** Tests how the result of a delivery attempt is described. */
import { expect, it } from 'vitest'
import { describeResult } from './status'

it.each([
  [{ status: 200, error: null }, '200 OK'],
  [{ status: 302, error: null }, '302 Found (redirects count as failures)'],
  [{ status: 500, error: null }, '500 Internal Server Error'],
  [{ status: null, error: 'timeout' }, 'No response within 15 seconds'],
])('describes the attempt %j as “%s”', (attempt, text) => {
  expect(describeResult(attempt)).toBe(text)
})
