/** Values are checked no matter how their JSON is escaped, and in linear time. */
import { describe, expect, it } from 'vitest'
import { InvalidValueError, parseClean } from './clean'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('parseClean', () => {
  it.each(['__proto__', '\\u005f_proto__', '__pr\\u006fto__', '__\\u0070roto__'])('rejects a member named %s', (name) => {
    expect(() => parseClean(`{"a":{"${name}":"x"}}`)).toThrow('must not be named __proto__')
  })

  it('rejects more than 16 levels of nesting', () => {
    expect(parseClean(nested(16))).toEqual(JSON.parse(nested(16)))
    expect(() => parseClean(nested(17))).toThrow(InvalidValueError)
    expect(() => parseClean(nested(100_000))).toThrow('must not be nested deeper than 16 levels')
  })

  it.each([
    ['', ''],
    [' and a trailing backslash', '\\'],
  ])('rejects an unclosed string with 150,000 escaped quotes%s, after reading it once', { timeout: 20_000 }, (_, end) => {
    expect(() => parseClean(`{"a":1e5,"b":"${'\\"'.repeat(150_000)}${end}`)).toThrow(SyntaxError)
  })
})
