/** An error's causes are found at any depth, even if they form a cycle, and only PostgreSQL's codes are SQLSTATEs. */
import { describe, expect, it } from 'vitest'
import { getSqlState, withCauses } from './error-causes'

const duplicate = Object.assign(new Error('duplicate key'), { code: '23505', severity: 'ERROR' })

describe('withCauses', () => {
  it('yields an error and its causes in order', () => {
    const middle = new Error('b', { cause: duplicate })
    const outer = new Error('a', { cause: middle })
    expect([...withCauses(outer)]).toEqual([outer, middle, duplicate])
  })

  it('yields each error once if the causes form a cycle', () => {
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
  it('returns the code of PostgreSQL’s error, even if the error that wraps it has a code of its own', () => {
    const wrapped = Object.assign(new Error('deadlock', { cause: duplicate }), { code: 'deadlock' })
    expect([getSqlState(duplicate), getSqlState(wrapped)]).toEqual(['23505', '23505'])
  })

  it('returns undefined for the code of another error', () => {
    for (const code of ['ECONNRESET', 'EPIPE', 'ERR_INVALID_ARG_TYPE'])
      expect(getSqlState(Object.assign(new Error('x'), { code }))).toBeUndefined()
  })
})
