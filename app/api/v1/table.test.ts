/** The route tree is the public contract: what is declared has a route, and what `server.ts` calls is that tree. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { resources } from '@/lib/catalog'
import { METHODS } from '@/lib/http/methods'
import { openApiDocument } from '@/lib/http/openapi/document'
import { table } from './table'

const files = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)],
  )

it('every listed resource has its route', () => {
  for (const name of Object.keys(resources)) expect(table.map(({ pattern }) => pattern)).toContain(`/v1/${name}`)
})

it('the table holds every route file, and each handles every method', () => {
  const tree = files('app')
    .filter((file) => file.endsWith('/route.ts') && !file.includes('[[...path]]') && !/^app\/(api\/auth|door|\(dashboard\))\//.test(file))
    .map((file) =>
      file
        .replace(/^app(\/api)?/, '')
        .replace('/route.ts', '')
        .replace(/\[(\w+)\]/, ':$1'),
    )
  expect(table.map(({ pattern }) => pattern).sort()).toEqual(tree.sort())
  for (const { route } of table) for (const method of METHODS) expect(route[method]).toBeTypeOf('function')
})

it('the description has every route, and no other', () => {
  const described = Object.keys(openApiDocument().paths).map((path) => path.replace(/\{(\w+)\}/g, ':$1'))
  // What the operator's own tools read, and what Stripe sends, is no part of the contract.
  expect(described.sort()).toEqual(
    table
      .map(({ pattern }) => pattern)
      .filter((pattern) => pattern !== '/metrics' && pattern !== '/ingest/stripe')
      .sort(),
  )
})
