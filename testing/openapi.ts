/** Validates responses strictly against the OpenAPI document: undocumented members are errors. */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { openApiDocument } from '@/lib/http/openapi/document'
import type { OperationObject, ResponseObject } from '@/lib/http/openapi/types'

/** Returns a copy of a schema that forbids undocumented members. Clients must ignore them, but tests must detect them. */
function forbidUnknownMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forbidUnknownMembers)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, forbidUnknownMembers(item)]))
  const isSchema = copy.type === 'object' && typeof copy.properties === 'object' && copy.allOf === undefined
  return isSchema && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy
}

const DOCUMENT_ID = 'https://desk.example.com/openapi'
let ajv: Ajv2020 | undefined
const compiled = new Map<string, ValidateFunction>()

/** Returns the validator for a schema. @param pointer a JSON pointer such as `#/components/schemas/Payment` */
export function getValidator(pointer: string): ValidateFunction {
  if (!ajv) {
    ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema({ $id: DOCUMENT_ID, ...(forbidUnknownMembers(JSON.parse(JSON.stringify(openApiDocument()))) as object) })
  }
  const cached = compiled.get(pointer)
  if (cached) return cached
  const validator = ajv.compile({ $ref: `${DOCUMENT_ID}${pointer}` })
  compiled.set(pointer, validator)
  return validator
}

const escapeSegment = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

type OperationMatch = { operation: OperationObject; pointer: string }

/** Returns the operation that a request is for, or undefined if it is not documented. */
export function findOperation(method: string, url: string): OperationMatch | undefined {
  const path = new URL(url, 'http://x').pathname.replace(/^\/api(?=\/v1)/, '').replace(/(?<=.)\/$/, '')
  const { paths } = openApiDocument()
  // Do not mistake the prefix of /v1/tickets/validate/{qrCode} for the path of a ticket with the ID `validate`.
  const isPrefix = !(path in paths) && Object.keys(paths).some((template) => template.startsWith(`${path}/{`))
  for (const [template, item] of isPrefix ? [] : Object.entries(paths)) {
    const pattern = new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
    if (!pattern.test(path)) continue
    const name = method.toLowerCase()
    const operation = Object.hasOwn(item, name) ? item[name as keyof typeof item] : undefined
    return operation && { operation, pointer: `#/paths/${escapeSegment(template)}/${name}` }
  }
  return undefined
}

/** Generic HTTP response headers, which the document does not describe. */
const COMMON_HEADERS = [
  'content-type',
  'content-length',
  'cache-control',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
]

/** Describes the differences between a response's headers and the documented ones. */
function listHeaderErrors(described: ResponseObject, headers: Headers): string[] {
  const errors: string[] = []
  const names = Object.keys(described.headers ?? {})
  for (const [name] of headers) {
    if (!COMMON_HEADERS.includes(name) && !names.some((known) => known.toLowerCase() === name))
      errors.push(`the ${name} header is not documented`)
  }
  for (const name of names) {
    const { required, schema } = openApiDocument().components.headers[name] ?? {}
    const value = headers.get(name)
    if (value === null) {
      if (required) errors.push(`the ${name} header is missing`)
      continue
    }
    const parsed = schema?.type === 'integer' ? Number(value) : value
    if (!getValidator(`#/components/headers/${name}/schema`)(parsed)) errors.push(`the ${name} header has an invalid value: ${value}`)
  }
  return errors
}

export type ReceivedResponse = { method: string; url: string; status: number; headers: Headers; text: string }

/** Describes the differences between a response and the document. Returns an empty list if the operation is not documented. */
export function findDifferences({ method, url, status, headers, text }: ReceivedResponse): string[] {
  const found = findOperation(method, url)
  if (!found) return []
  const described = found.operation.responses[String(status)]
  if (!described) return [`${found.operation.operationId} does not describe the status ${status}: ${text}`]
  if (!described.content)
    return [...(text === '' ? [] : [`${found.operation.operationId} ${status}: unexpected body`]), ...listHeaderErrors(described, headers)]
  const validate = getValidator(`${found.pointer}/responses/${status}/content/${escapeSegment('application/json')}/schema`)
  const body: unknown = JSON.parse(text)
  const errors = validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  return [...errors, ...listHeaderErrors(described, headers)].map((error) => `${found.operation.operationId} ${status}: ${error}`)
}
