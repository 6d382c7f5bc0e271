/** Reads the schemas of the OpenAPI document: resolves references, formats types and finds anchors. */
import { recordTypes } from '@/lib/catalog'
import { schemaName } from '@/lib/catalog/resource'
import { openApiDocument } from '@/lib/http/openapi/document'
import type { Schema } from '@/lib/http/openapi/types'
import { docsCopy as copy } from '../copy/docs'

/** Returns the target of a schema's reference, or the schema itself. Members next to the reference override those of the target. */
export function resolveReference(schema: Schema): Schema {
  if (!schema.$ref) return schema
  const name = schema.$ref.split('/').at(-1) ?? ''
  const target = openApiDocument().components.schemas[name]
  if (!target) throw new Error(`The OpenAPI document has no ${schema.$ref}`)
  const { $ref: _, ...siblings } = schema
  return { ...target, ...siblings }
}

/** Returns the schema of an object, or of the objects in a list. Returns undefined for other types. */
export function findObjectSchema(schema: Schema): Schema | undefined {
  const resolved = resolveReference(schema)
  if (resolved.properties) return resolved
  return resolved.items ? findObjectSchema(resolved.items) : undefined
}

const formatAlternatives = new Intl.ListFormat('en', { type: 'disjunction' })

/** Returns the name of a value's type, as shown on the page. */
export function formatType(unresolved: Schema): string {
  const { kinds } = copy
  const schema = resolveReference(unresolved)
  if (schema.anyOf) {
    const alternatives = schema.anyOf.filter(({ type }) => type !== 'null').map(formatType)
    const joined = formatAlternatives.format(alternatives)
    return alternatives.length < schema.anyOf.length ? kinds.orNull(joined) : joined
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
export const toRecordAnchor = (tag: string) => `${tag.toLowerCase().replaceAll(' ', '-')}-record`

/** Returns the schema of a tag's record: `Payment` for `Payments`. */
export function findRecordSchema(tag: string): Schema | undefined {
  const type = recordTypes.find(({ label }) => label.many === tag)
  return type && openApiDocument().components.schemas[schemaName(type)]
}

/** Returns the anchor of a schema's section. A schema with a section is not expanded elsewhere. */
export function findAnchor(title: string | undefined): string | undefined {
  const tag = openApiDocument().tags.find(({ name }) => title !== undefined && findRecordSchema(name)?.title === title)
  return tag && toRecordAnchor(tag.name)
}
