/** Tests that outages are distinguished from invalid statements and that causes are found, no matter where the error was thrown. */
import { describe, expect, it } from 'vitest'
import { getSqlState, isSchemaMismatch, isUnavailable, UnavailableError, unavailableReason, withCauses } from './unavailable'

/** The class as defined by another bundle in the same process. */
class CopiedError extends Error {
  override name = 'UnavailableError'
  readonly code = 'queue_full'
}

const withCode = (code: string) => Object.assign(new Error(code), { code })

describe('unavailableReason', () => {
  it.each([
    ['an error of this module', new UnavailableError('full', { code: 'pool_exhausted' }), 'pool_exhausted'],
    ['an error without a code', new UnavailableError('full'), 'unavailable'],
    ['an error of another copy of the module', new CopiedError('full'), 'queue_full'],
    ['a wrapped error', new Error('failed', { cause: new CopiedError('full') }), 'queue_full'],
    ['a wrapper without a code of its own', new UnavailableError('unreachable', { cause: withCode('ECONNREFUSED') }), 'connection_refused'],
    ['an unknown host', withCode('ENOTFOUND'), 'host_not_found'],
    ['an unreachable host', withCode('EHOSTUNREACH'), 'host_unreachable'],
    ['a connection that was closed', withCode('CONNECTION_CLOSED'), 'connection_lost'],
    ['a connection that was not established in time', withCode('CONNECT_TIMEOUT'), 'connect_timeout'],
    ['a lock timeout', withCode('55P03'), 'lock_timeout'],
    ['a statement timeout', withCode('57014'), 'statement_timeout'],
    ['a shutdown', withCode('57P01'), 'database_shutdown'],
    ['too many connections', withCode('53300'), 'too_many_connections'],
    ['a wrong password', withCode('28P01'), 'connection_rejected'],
    ['an unknown database', withCode('3D000'), 'connection_rejected'],
    ['a full disk', withCode('53100'), 'out_of_resources'],
    ['a deadlock', withCode('40P01'), 'deadlock'],
  ])('returns the reason for %s', (_, error, reason) => {
    expect(unavailableReason(error)).toBe(reason)
    expect(isUnavailable(error)).toBe(true)
  })

  it.each([
    ['a syntax error', withCode('42601')],
    ['an undefined table', withCode('42P01')],
    ['an undefined column', withCode('42703')],
    ['an undefined function', withCode('42883')],
    ['a code that is longer than a SQLSTATE', withCode('57BLVD')],
    ['a programming error', new TypeError('x is not a function')],
    ['a value that is not an error', 'UnavailableError'],
  ])('returns undefined for %s', (_, error) => {
    expect(unavailableReason(error)).toBeUndefined()
    expect(isUnavailable(error)).toBe(false)
  })
})

describe('isSchemaMismatch', () => {
  it('returns true for a missing table, column or function, even if the error is wrapped', () => {
    for (const code of ['42P01', '42703', '42883']) expect(isSchemaMismatch(new Error('failed', { cause: withCode(code) }))).toBe(true)
    for (const error of [withCode('42601'), withCode('23505'), new Error('x'), 'x']) expect(isSchemaMismatch(error)).toBe(false)
  })
})

const duplicate = Object.assign(new Error('duplicate key'), { code: '23505', severity: 'ERROR' })

describe('withCauses', () => {
  it('yields an error and its causes in order', () => {
    const middle = new Error('b', { cause: duplicate })
    const outer = new Error('a', { cause: middle })
    expect([...withCauses(outer)]).toEqual([outer, middle, duplicate])
  })

  it('yields each error only once if the causes form a cycle', () => {
    const first = new Error('a')
    const second = new Error('b', { cause: first })
    first.cause = second
    expect([...withCauses(first)].map(({ message }) => message)).toEqual(['a', 'b'])
  })

  it('yields nothing for a value that is not an error', () => {
    for (const value of [undefined, null, 'text', { cause: duplicate }]) expect([...withCauses(value)]).toEqual([])
  })
})

describe('getSqlState', () => {
  it('returns the code of PostgreSQL’s error even if the wrapping error has its own code', () => {
    const wrapped = Object.assign(new Error('deadlock', { cause: duplicate }), { code: 'deadlock' })
    expect([getSqlState(duplicate), getSqlState(wrapped)]).toEqual(['23505', '23505'])
  })

  it('returns undefined for the code of another error', () => {
    for (const code of ['ECONNRESET', 'EPIPE', 'ERR_INVALID_ARG_TYPE'])
      expect(getSqlState(Object.assign(new Error('x'), { code }))).toBeUndefined()
  })
})
