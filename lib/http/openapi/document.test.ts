/** The OpenAPI document is valid, complete, and consistent with the schemas that validate requests. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getValidator } from '@/testing/openapi'
import { SCOPES } from '../../accounts/scopes'
import { recordTypes, resources } from '../../catalog'
import { createCouponBody } from '../../catalog/coupon-operations'
import { EVENT_TYPES } from '../../catalog/event-types'
import { listParams } from '../../catalog/list-params'
import { ERROR_STATUSES } from '../../core/errors'
import { openApiDocument, openApiText } from './document'
import type { Schema } from './types'

const document = openApiDocument()
const operations = Object.values(document.paths).flatMap((item) => Object.values(item))

function* schemasIn(schema: Schema, path: string): Generator<[string, Schema]> {
  yield [path, schema]
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield* schemasIn(member, `${path}.${name}`)
  if (schema.items) yield* schemasIn(schema.items, `${path}[]`)
}

describe('the OpenAPI document', () => {
  it('passes the linter', { tags: 'slow' }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'desk-openapi-'))
    try {
      const file = join(folder, 'openapi.json')
      writeFileSync(file, openApiText('https://desk.shop.example'))
      const output = execFileSync(
        process.execPath,
        ['node_modules/@redocly/cli/bin/cli.js', 'lint', file, '--config', 'redocly.yaml', '--format', 'json'],
        { encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }, stdio: 'pipe' },
      )
      expect(JSON.parse(output)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('describes every member of every schema', () => {
    const undescribed = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      [...schemasIn(schema, name)].filter(([path, { description }]) => !path.endsWith('[]') && !description).map(([path]) => path),
    )
    expect(undescribed).toEqual([])
  })

  it('describes every value of every enumeration', () => {
    const undescribed = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      [...schemasIn(schema, name)]
        .filter(([, { enum: values, 'x-enumDescriptions': meanings }]) =>
          values?.some((value) => typeof value !== 'string' || !meanings?.[value]),
        )
        .map(([path]) => path),
    )
    expect(undescribed).toEqual([])
  })

  it('documents every error code and every scope', () => {
    const coded = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        Object.values(content ?? {}).flatMap(({ schema }) => schema.properties?.code?.enum ?? []),
      ),
    )
    const undocumented = Object.keys(ERROR_STATUSES).filter((code) => !coded.includes(code))
    // No operation returns these two errors, because only requests that match no operation get them.
    expect(undocumented).toEqual(['route_not_found', 'method_not_allowed'])
    for (const word of [...Object.keys(ERROR_STATUSES), ...SCOPES]) expect(document.info.description).toContain(`\`${word}\``)
  })

  it('describes the parameters of each list, with the bounds that requests are validated against', () => {
    for (const [name, { filters }] of Object.entries(resources)) {
      const schema = listParams(filters)
      const parameters = document.paths[`/v1/${name}`]?.get?.parameters ?? []
      expect(parameters.map((parameter) => parameter.name)).toEqual(Object.keys(schema.shape))
      expect(parameters.every(({ description }) => description.length > 10)).toBe(true)
      const limit = parameters.find((parameter) => parameter.name === 'limit')?.schema
      const { minimum = 0, maximum = 0 } = limit ?? {}
      for (const [value, isValid] of [
        [minimum - 1, false],
        [minimum, true],
        [maximum, true],
        [maximum + 1, false],
      ] as const) {
        expect(schema.safeParse({ limit: String(value) }).success, `limit=${value}`).toBe(isValid)
      }
      expect(schema.parse({}).limit).toBe(limit?.default)
    }
  })

  it('describes the body of a new coupon with the bounds that requests are validated against', () => {
    const { percentOff, currency } = document.components.schemas.CreateCouponBody?.properties ?? {}
    expect(percentOff).toMatchObject({ type: 'number', exclusiveMinimum: 0, maximum: 100 })
    expect(currency).toMatchObject({ type: 'string', pattern: '^[A-Za-z]{3}$' })
    const base = { label: 'a', code: 'A', duration: 'once' }
    for (const [body, isValid] of [
      [{ percentOff: 0 }, false],
      [{ percentOff: 0.01 }, true],
      [{ percentOff: 100 }, true],
      [{ percentOff: 100.01 }, false],
      [{ amountOff: 1, currency: 'eur' }, true],
      [{ amountOff: 1, currency: 'euro' }, false],
    ] as const) {
      expect(createCouponBody.safeParse({ ...base, ...body }).success, JSON.stringify(body)).toBe(isValid)
    }
  })

  it('describes the request for every type of event, with the schema of its record', () => {
    expect(Object.keys(document.webhooks)).toEqual(Object.keys(EVENT_TYPES))
    const schema = document.webhooks['ticket.checked_in']?.post?.requestBody?.content['application/json']?.schema
    expect(schema?.properties).toMatchObject({ type: { const: 'ticket.checked_in' }, data: { $ref: '#/components/schemas/Ticket' } })
  })

  it('uses IDs in the right format in examples of errors, and describes If-Match only for operations that change the record', () => {
    const findOperation = (id: string) => operations.find(({ operationId }) => operationId === id)
    for (const id of ['resendWebhookEvents', 'testWebhookEndpoint']) {
      const { parameters = [], responses } = findOperation(id) ?? {}
      expect(JSON.stringify(responses?.[404])).toContain(
        "No webhook endpoint with id 'we_00000000000000000000000a'. Check the id, or list the webhook endpoints to find it.",
      )
      expect([parameters.map(({ name }) => name), responses?.[412]]).toEqual([['id', 'Idempotency-Key'], undefined])
    }
    expect(findOperation('rotateWebhookSecret')?.parameters?.map(({ name }) => name)).toContain('If-Match')
  })

  it('describes the response of every operation to an invalid Host header', () => {
    expect(operations.filter(({ responses }) => !JSON.stringify(responses[400] ?? '').includes('path_invalid'))).toEqual([])
  })

  it('has no “a” before a vowel in its code samples', () => {
    const lines = operations.flatMap((operation) => (operation['x-codeSamples'] ?? []).flatMap(({ source }) => source.split('\n')))
    expect(lines).toContain('# ID is the ID of the event.')
    expect(lines.filter((line) => /\ba [aeio]/i.test(line))).toEqual([])
  })

  it('contains examples of the record types that are valid for the types’ schemas', () => {
    for (const { record, example } of recordTypes) expect(record.safeParse(structuredClone(example)).error).toBeUndefined()
  })

  it('contains only examples that are valid for its schemas', { tags: 'slow' }, () => {
    let seen = 0
    const items = (['paths', 'webhooks'] as const).flatMap((part) =>
      Object.entries(document[part]).map((entry) => [part, ...entry] as const),
    )
    for (const [part, path, item] of items) {
      for (const [method, operation] of Object.entries(item)) {
        const pointer = `#/${part}/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`
        const media = [
          ...Object.entries(operation.responses).map(([status, response]) => [`/responses/${status}`, response.content] as const),
          ['/requestBody', operation.requestBody?.content] as const,
        ]
        for (const [where, content] of media) {
          for (const [name, { value }] of Object.entries(content?.['application/json']?.examples ?? {})) {
            const validate = getValidator(`${pointer}${where}/content/application~1json/schema`)
            validate(JSON.parse(JSON.stringify(value)))
            expect(validate.errors ?? [], `${operation.operationId} ${where} ${name}`).toEqual([])
            seen += 1
          }
        }
      }
    }
    expect(seen).toBeGreaterThan(70)
  })

  it('has schemas that reject malformed timestamps, missing members and, in tests, unknown members', () => {
    const validate = getValidator('#/components/schemas/Payment')
    const { example } = resources.payments
    const { amount: _, ...without } = example
    expect(validate(example)).toBe(true)
    expect(validate({ ...example, surprise: 1 })).toBe(false)
    expect(validate({ ...example, createdAt: 'yesterday' })).toBe(false)
    expect(validate(without)).toBe(false)
  })

  it('is generated once per process', () => {
    expect(openApiDocument()).toBe(document)
  })
})
