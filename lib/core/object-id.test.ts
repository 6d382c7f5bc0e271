/** IDs are unique: a record with a duplicate ID would overwrite another one. */
import { expect, it } from 'vitest'
import { newObjectId } from './object-id'
import { OBJECT_ID } from './object-id-pattern'

it('creates 100,000 unique IDs that start with the time', () => {
  const at = new Date('2026-11-21T00:00:00Z')
  const ids = Array.from({ length: 100_000 }, () => newObjectId(at))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !OBJECT_ID.test(id))).toEqual([])
  expect(ids[0]).toMatch(/^[0-9a-f]{24}$/)
  expect(Number.parseInt(String(ids[0]?.slice(0, 8)), 16) * 1000).toBe(at.getTime())
})
