/** The description by itself: whole, well-formed to a linter, and true to the objects that check the requests. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { validatorOf } from '@/testing/openapi'
import { SCOPES } from '../../accounts/scopes'
import { type ResourceName, resources } from '../../catalog'
import { listParams } from '../../catalog/list-params'
import { STATUS_OF } from '../../core/errors'
import { openApiDocument, openApiText } from './document'
import { RECORD_EXAMPLES } from './examples'
import { ONE } from './schemas'
import type { OperationObject, Schema } from './types'

const document = openApiDocument()
const operations = Object.values(document.paths).flatMap(({ get, post }) => [get, post].filter((one): one is OperationObject => !!one))

function* schemasIn(schema: Schema, path: string): Generator<[string, Schema]> {
  yield [path, schema]
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield* schemasIn(member, `${path}.${name}`)
  if (schema.items) yield* schemasIn(schema.items, `${path}[]`)
}

describe('the description', () => {
  it('is found without fault by the linter', () => {
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

  it('says a word about every member of every schema', () => {
    const silent = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      [...schemasIn(schema, name)].filter(([path, { description }]) => !path.endsWith('[]') && !description).map(([path]) => path),
    )
    expect(silent).toEqual([])
  })

  it('says what each value of an enumeration means', () => {
    const silent = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      [...schemasIn(schema, name)]
        .filter(([, { enum: values, 'x-enumDescriptions': meanings }]) =>
          values?.some((value) => typeof value !== 'string' || !meanings?.[value]),
        )
        .map(([path]) => path),
    )
    expect(silent).toEqual([])
  })

  it('names every code, and every scope', () => {
    const coded = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        Object.values(content ?? {}).flatMap(({ schema }) => schema.properties?.code?.enum ?? []),
      ),
    )
    const nowhere = Object.keys(STATUS_OF).filter((code) => !coded.includes(code))
    // These two are no operation's: they answer where none is.
    expect(nowhere).toEqual(['route_not_found', 'method_not_allowed'])
    for (const word of [...Object.keys(STATUS_OF), ...SCOPES]) expect(document.info.description).toContain(`\`${word}\``)
  })

  it('has the parameters that a list takes, with the same bounds', () => {
    for (const [name, { filters }] of Object.entries(resources)) {
      const schema = listParams(filters)
      const parameters = document.paths[`/v1/${name}`]?.get?.parameters ?? []
      expect(parameters.map((one) => one.name)).toEqual(Object.keys(schema.shape))
      expect(parameters.every(({ description }) => description.length > 10)).toBe(true)
      const limit = parameters.find((one) => one.name === 'limit')?.schema
      const { minimum = 0, maximum = 0 } = limit ?? {}
      for (const [value, fits] of [
        [minimum - 1, false],
        [minimum, true],
        [maximum, true],
        [maximum + 1, false],
      ] as const) {
        expect(schema.safeParse({ limit: String(value) }).success, `limit=${value}`).toBe(fits)
      }
      expect(schema.parse({}).limit).toBe(limit?.default)
    }
  })

  it('has a whole record as the example of each list, which the importer’s own schema takes too', () => {
    for (const [name, { record }] of Object.entries(resources)) {
      const example: unknown = JSON.parse(JSON.stringify(RECORD_EXAMPLES[name as ResourceName]))
      expect(record.safeParse(example).error).toBeUndefined()
    }
  })

  it('gives examples that its own schemas take', () => {
    let seen = 0
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const pointer = `#/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`
        const media = [
          ...Object.entries(operation.responses).map(([status, one]) => [`/responses/${status}`, one.content] as const),
          ['/requestBody', operation.requestBody?.content] as const,
        ]
        for (const [where, content] of media) {
          for (const [name, { value }] of Object.entries(content?.['application/json']?.examples ?? {})) {
            const validate = validatorOf(`${pointer}${where}/content/application~1json/schema`)
            validate(JSON.parse(JSON.stringify(value)))
            expect(validate.errors ?? [], `${operation.operationId} ${where} ${name}`).toEqual([])
            seen += 1
          }
        }
      }
    }
    expect(seen).toBeGreaterThan(70)
  })

  it('tells a fault where there is one', () => {
    const validate = validatorOf(`#/components/schemas/${ONE.payments}`)
    const { amount: _, ...without } = RECORD_EXAMPLES.payments
    expect(validate({ ...RECORD_EXAMPLES.payments, surprise: 1 })).toBe(false)
    expect(validate({ ...RECORD_EXAMPLES.payments, createdAt: 'yesterday' })).toBe(false)
    expect(validate(without)).toBe(false)
  })

  it('is made once', () => {
    expect(openApiDocument()).toBe(document)
  })
})
