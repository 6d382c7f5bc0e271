/** Reads the schemas of the OpenAPI document: resolves references, formats types and finds anchors. */
import { recordTypes } from '@/lib/catalog'
import { schemaName } from '@/lib/catalog/resource'
import { openApiDocument } from '@/lib/http/openapi/document'
import type { Schema } from '@/lib/http/openapi/types'
import { docsCopy as copy } from '../copy/docs'

/** Resolves a reference. Sibling members of the reference override those of its target. */
export function follow(schema: Schema): Schema {
  if (!schema.$ref) return schema
  const name = schema.$ref.split('/').at(-1) ?? ''
  const target = openApiDocument().components.schemas[name]
  if (!target) throw new Error(`The OpenAPI document has no ${schema.$ref}`)
  const { $ref: _, ...siblings } = schema
  return { ...target, ...siblings }
}

/** Returns the object type of a member or of its array's items; undefined for other types. */
export function objectIn(schema: Schema): Schema | undefined {
  const whole = follow(schema)
  if (whole.properties) return whole
  return whole.items ? objectIn(whole.items) : undefined
}

const formatAlternatives = new Intl.ListFormat('en', { type: 'disjunction' })

/** Returns the name of a value's type, as shown on the page. */
export function formatType(given: Schema): string {
  const { kinds } = copy
  const schema = follow(given)
  if (schema.anyOf) {
    const some = schema.anyOf.filter(({ type }) => type !== 'null').map(formatType)
    const either = formatAlternatives.format(some)
    return some.length < schema.anyOf.length ? kinds.orNull(either) : either
  }
  if (schema.type === 'array') return kinds.list(schema.items ? formatType(schema.items) : '')
  if (schema.format === 'date-time') return kinds.instant
  if (schema.format === 'date') return kinds.day
  if (schema.pattern?.includes('{24}')) return kinds.id
  if (schema.type === 'object') return schema.additionalProperties && !schema.properties ? kinds.map : (schema.title ?? kinds.object)
  if (schema.type === 'string') return kinds.string
  if (schema.type === 'integer') return kinds.integer
  if (schema.type === 'number') return kinds.number
  return kinds.boolean
}

/** Returns the anchor of a tag's record: `payments-record` for `Payments`. */
export const recordId = (tag: string) => `${tag.toLowerCase().replaceAll(' ', '-')}-record`

/** Returns the schema of a tag's record: `Payment` for `Payments`. */
export function findRecordSchema(tag: string): Schema | undefined {
  const type = recordTypes.find(({ label }) => label.many === tag)
  return type && openApiDocument().components.schemas[schemaName(type)]
}

/** Returns the anchor of a schema that has its own section and is therefore not expanded elsewhere. */
export function findAnchor(title: string | undefined): string | undefined {
  const tag = openApiDocument().tags.find(({ name }) => title !== undefined && findRecordSchema(name)?.title === title)
  return tag && recordId(tag.name)
}
