/** Reads the description’s schemas as a reader of the page wants them: what kind of value, how many members. */
import { openApiDocument } from '@/lib/http/openapi/document'
import type { Schema } from '@/lib/http/openapi/types'
import { docsWords as words } from '../copy/docs'

/** The schema that a reference leads to, with what stands beside the reference. */
export function follow(schema: Schema): Schema {
  if (!schema.$ref) return schema
  const name = schema.$ref.split('/').at(-1) ?? ''
  const target = openApiDocument().components.schemas[name]
  if (!target) throw new Error(`the description has no ${schema.$ref}`)
  const { $ref: _, ...beside } = schema
  return { ...target, ...beside }
}

/** The object that a member holds, or that its list holds; undefined where it holds none. */
export function objectIn(schema: Schema): Schema | undefined {
  const whole = follow(schema)
  if (whole.properties) return whole
  return whole.items ? objectIn(whole.items) : undefined
}

/** What kind of value it is, in words. */
export function kindOf(given: Schema): string {
  const { kinds } = words
  const schema = follow(given)
  if (schema.anyOf) {
    const [some] = schema.anyOf.filter(({ type }) => type !== 'null')
    return some ? kinds.orNull(kindOf(some)) : ''
  }
  if (schema.type === 'array') return kinds.list(schema.items ? kindOf(schema.items) : '')
  if (schema.format === 'date-time') return kinds.instant
  if (schema.format === 'date') return kinds.day
  if (schema.pattern?.includes('{24}')) return kinds.id
  if (schema.type === 'object') return schema.additionalProperties && !schema.properties ? kinds.map : (schema.title ?? kinds.object)
  if (schema.type === 'string') return kinds.string
  if (schema.type === 'integer') return kinds.integer
  if (schema.type === 'number') return kinds.number
  return kinds.boolean
}

/** Where the page describes the record of a tag: `payments-record` for `Payments`. */
export const recordId = (tag: string) => `${tag.toLowerCase()}-record`

/** The record that a tag is about: `Payment` of `Payments`. */
export const recordOf = (tag: string): Schema | undefined => openApiDocument().components.schemas[tag.replace(/s$/, '')]

/** The place of a schema that has a section of its own: it is not unfolded anywhere else. */
export function homeOf(title: string | undefined): string | undefined {
  const tag = openApiDocument().tags.find(({ name }) => title !== undefined && recordOf(name)?.title === title)
  return tag && recordId(tag.name)
}
