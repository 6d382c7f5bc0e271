/** The export contains every record once, with all members except secrets, in the list's order, even if records change meanwhile. */
// @module-tag slow
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { importLines, type Line, makeSeller, minimal, readFixture } from '@/testing/seller'
import { type ResourceName, resources } from '../catalog'
import { memberAt } from '../catalog/columns'
import type { Resource } from '../catalog/resource'
import type { TableParams } from '../catalog/table-params'
import { exportColumns, exportCsv as exportTable } from './csv-export'
import { toTableQuery } from './table-query'

const exportCsv = (resource: Resource, seller: string, filters: Partial<TableParams>) =>
  exportTable(toTableQuery(resource, seller, { limit: 20, ...filters }, 'UTC'))

const NAMES = Object.keys(resources) as ResourceName[]

async function readAll(resource: Resource, seller: string, filters = {}): Promise<Record<string, string>[]> {
  let text = ''
  for await (const chunk of exportCsv(resource, seller, filters)) text += chunk
  return parse(text, { bom: true, columns: true }) as Record<string, string>[]
}

const toText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** Removes apostrophes that might escape formulas. Separate tests cover the escaping. */
const withoutEscapes = (text = '') => text.replace(/'(?=[=+\-@＝＋－＠\t\r])/g, '')

test.each(NAMES)('%s: exports every member of every record, except secrets, in a separate column', async (name) => {
  const seller = await makeSeller()
  const lines = readFixture(name)
  await importLines(name, seller, lines)
  const columns = exportColumns(resources[name])
  const rows = await readAll(resources[name], seller)
  expect(rows).toHaveLength(lines.length)
  const byId = new Map(rows.map((row) => [row.id, row]))
  /** Returns the paths of a record's members, flattened in the same way as the export's columns. */
  const listMemberPaths = (value: Line, prefix = ''): string[] =>
    Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !columns.includes(prefix + key)
        ? listMemberPaths(inner as Line, `${prefix}${key}.`)
        : [prefix + key],
    )
  for (const line of lines) {
    const { gatewayPaymentIntentClientSecret: secret, ...publicMembers } = line
    const row = byId.get(String(line.id)) ?? {}
    const paths = listMemberPaths(publicMembers)
    const wanted = Object.fromEntries(paths.map((path) => [path, withoutEscapes(toText(memberAt(publicMembers, path)))]))
    expect(Object.fromEntries(paths.map((path) => [path, withoutEscapes(row[path])])), String(line.id)).toEqual(wanted)
    expect(Object.values(row).join()).not.toContain('CANARY')
  }
  expect(columns).not.toContain('gatewayPaymentIntentClientSecret')
})

test('escapes formulas, and leaves negative amounts as numbers', async () => {
  const seller = await makeSeller()
  const formulas = ['=1+1', '+31 6', '-2+3', '@SUM(A1)', '＝1', 'a;=1', 'a;\n=1', 'a "quoted", text - not\r\n\r\na formula=1;']
  await importLines(
    'payments',
    seller,
    formulas.map((orderId, i) => minimal('payments', { orderId, amount: -500, upsell: false, createdAt: `2026-03-01T12:00:0${i}.000Z` })),
  )
  const rows = await readAll(resources.payments, seller)
  expect(rows.map(({ orderId }) => orderId).reverse()).toEqual([
    ...formulas.slice(0, 5).map((text) => `'${text}`),
    "a;'=1",
    "a;\n'=1",
    formulas[7],
  ])
  expect(new Set(rows.map(({ amount }) => amount))).toEqual(new Set(['-500']))
  expect(rows[0]?.upsell).toBe('false')
})

test('quotes values with line breaks of any kind', async () => {
  const seller = await makeSeller()
  const values = ['a\nb', 'a\rb', 'a\r\nb']
  await importLines(
    'payments',
    seller,
    values.map((sku, i) => minimal('payments', { sku, createdAt: `2026-03-01T12:00:0${i}.000Z` })),
  )
  let file = ''
  for await (const chunk of exportCsv(resources.payments, seller, {})) file += chunk
  for (const value of values) expect(file).toContain(`,"${value}",`)
})

/** Splits a file like a spreadsheet: quotes are special only at the start of a cell; text after the closing quote belongs to the cell. */
function splitCells(text: string, separator: string): string[] {
  const cell = new RegExp(`(?:^|[${separator}\\r\\n])(?:"((?:[^"]|"")*)"?)?([^${separator}\\r\\n]*)`, 'g')
  return [...text.matchAll(cell)].map(([, quoted = '', rest = '']) => quoted.replaceAll('""', '"') + rest)
}

test.each([',', ';', '\t'])('starts no cell with a formula, even if a spreadsheet splits on %j', async (separator) => {
  const seller = await makeSeller()
  const parts = fc.constantFrom(';', '\t', '\r', '\n', '"', '""', '=', '+', '-', '@', '＝', ' ', ',', 'a', "=cmd|' /C calc'!A0", '\r\n')
  const text = fc.array(parts, { maxLength: 8 }).map((all) => all.join(''))
  const strings = ['a;=1', 'a\t=1', 'a\r\n=1', ';"=1"', '\t=1', '\r=1', ';\t=1', ';"" =1', ...fc.sample(text, { numRuns: 400, seed: 1 })]
  await importLines(
    'payments',
    seller,
    strings.map((orderId) => minimal('payments', { orderId, queryParameters: { a: orderId }, transactionIds: [orderId, orderId] })),
  )
  let file = ''
  for await (const chunk of exportCsv(resources.payments, seller, {})) file += chunk
  const cells = splitCells(file.slice(1), separator)
  expect(cells.length).toBeGreaterThan(strings.length)
  expect(cells.filter((cell) => !/^-?\d+$/.test(cell) && /^["\s]*[=+\-@＝＋－＠]|^\t/.test(cell))).toEqual([])
})

test('escapes any string in linear time', async () => {
  const seller = await makeSeller()
  const strings = ['\n', '\t', '"', ' ', '\n"', '\t"'].map((text) => `${text.repeat(200_000)}=`)
  await importLines(
    'payments',
    seller,
    strings.map((userAgent) => minimal('payments', { userAgent })),
  )
  const rows = await readAll(resources.payments, seller)
  expect(rows.map(({ userAgent }) => userAgent?.slice(-2))).toEqual(strings.map(() => "'="))
})

test('exports all records in order across chunks, even if they all have the same timestamp', async () => {
  const seller = await makeSeller()
  const lines = Array.from({ length: 1203 }, () => minimal('payments', { status: 'paid' }))
  await importLines('payments', seller, lines)
  const rows = await readAll(resources.payments, seller)
  expect(rows.map(({ id }) => id)).toEqual(
    lines
      .map(({ id }) => String(id))
      .sort()
      .reverse(),
  )
})

test('reads each chunk on demand, and includes records added during the export only if they sort after the current position', async () => {
  const seller = await makeSeller()
  await importLines(
    'payments',
    seller,
    Array.from({ length: 501 }, () => minimal('payments')),
  )
  const chunks = exportCsv(resources.payments, seller, {})
  const { value: first } = await chunks.next()
  const older = minimal('payments', { createdAt: '2020-01-01T00:00:00.000Z', orderId: 'OLDER' })
  await importLines('payments', seller, [older, minimal('payments', { createdAt: '2027-01-01T00:00:00.000Z', orderId: 'NEWER' })])
  let rest = ''
  for await (const chunk of chunks) rest += chunk
  expect(rest).toContain('OLDER')
  expect(rest).not.toContain('NEWER')
  expect((parse(first + rest, { bom: true, columns: true }) as unknown[]).length).toBe(502)
})

test('exports only the header row for an empty list', async () => {
  const seller = await makeSeller()
  const chunks: string[] = []
  for await (const chunk of exportCsv(resources.coupons, seller, {})) chunks.push(chunk)
  expect(chunks).toEqual([`\uFEFF${exportColumns(resources.coupons).join(',')}\r\n`])
})

test('applies the list’s filters, and does not export another seller’s records', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  await importLines('payments', other, [minimal('payments', { customerEmail: 'ada@example.com' })])
  await importLines('payments', seller, [
    minimal('payments', { customerEmail: 'ada@example.com', status: 'failed', orderId: 'A' }),
    minimal('payments', { customerEmail: 'ada@example.com', orderId: 'B' }),
    minimal('payments', { customerEmail: 'bob@example.com', status: 'failed', orderId: 'C' }),
  ])
  const rows = await readAll(resources.payments, seller, { search: 'ADA@', status: ['failed'] })
  expect(rows.map(({ orderId }) => orderId)).toEqual(['A'])
})

test('runs ten exports per seller in parallel, rejects the eleventh, and accepts another once one has ended', async () => {
  const seller = await makeSeller()
  await importLines(
    'payments',
    seller,
    Array.from({ length: 201 }, () => minimal('payments')),
  )
  const exports = Array.from({ length: 10 }, () => exportCsv(resources.payments, seller, {}))
  const first = await Promise.all(exports.map((chunks) => chunks.next()))
  expect(new Set(first.map(({ value }) => value)).size).toBe(1)
  await expect(exportCsv(resources.payments, seller, {}).next()).rejects.toMatchObject({ code: 'queue_full' })
  expect((await exportCsv(resources.payments, await makeSeller(), {}).next()).value).toContain('orderId')
  // An export ends when its client disconnects.
  await exports[0]?.return(undefined)
  expect(await readAll(resources.payments, seller)).toHaveLength(201)
  for (const chunks of exports) await chunks.return(undefined)
})
