/** The parts of OpenAPI 3.1 that the document uses. */

export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  const?: unknown
  enum?: readonly unknown[]
  /** The meaning of each value of an enumeration. Other tools support this extension too. */
  'x-enumDescriptions'?: Record<string, string>
  /** The scope that a key needs to receive this member. */
  'x-scope'?: string
  title?: string
  description?: string
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
}

export type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  description: string
  schema: Schema
  example?: unknown
}

export type Header = { description: string; required?: boolean; schema: Schema }
export type Reference = { $ref: string }
export type Example = { summary: string; value: unknown }
export type Media = { schema: Schema; examples?: Record<string, Example> }

export type ResponseObject = {
  description: string
  headers?: Record<string, Header | Reference>
  content?: Record<string, Media>
}

/** A code sample. `source` is its text. */
export type CodeSample = { lang: string; label: string; source: string }

export type OperationObject = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; description: string; content: Record<string, Media> }
  responses: Record<string, ResponseObject>
  'x-codeSamples'?: CodeSample[]
}

export type PathItem = { [Method in 'get' | 'post' | 'patch' | 'delete']?: OperationObject }

export type OpenApiDocument = {
  openapi: string
  info: { title: string; version: string; summary: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, PathItem>
  webhooks: Record<string, PathItem>
  components: {
    schemas: Record<string, Schema>
    headers: Record<string, Header>
    securitySchemes: Record<string, Record<string, unknown>>
  }
}
