/** An export ends without an error if its reader closed the pipe, but not if the connection to the database broke in the same way. */
import { expect, it } from 'vitest'
import { UnavailableError } from '@/db/unavailable'
import { toPipeError } from '@/lib/core/private-file'
import { isPipeClosed } from './export'

const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })

it('tells a closed pipe from a broken connection to the database', () => {
  expect(isPipeClosed(toPipeError(broken, 'standard output'))).toBe(true)
  const lost = new UnavailableError('The database is unavailable.', { cause: new Error('Failed query', { cause: broken }) })
  expect(isPipeClosed(toPipeError(lost, 'standard output'))).toBe(false)
  expect(isPipeClosed(new UnavailableError('The database is unavailable.', { cause: broken }))).toBe(false)
})
