/** Tests that `desk import` of damaged files never crashes or stores partial records, and reports every rejected line. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { resources, SECRET_MEMBERS } from '@/lib/catalog'
import type { ImportResult, Reject } from '@/lib/sync/import/import'
import { programArgs } from '@/testing/programs'
import { report } from '@/testing/report'
import { type Line, makeSeller, toServedRecord } from '@/testing/seller'
import { type DamagedFile, damagedFile } from '../support/damaged-file'
import { launch } from '../support/processes'
import { expect, fullOrShort, test, type World } from './world'

const FILES = fullOrShort(1_000, 60)
const PROCESSES = 2

/** A line of output from import-files.ts. `isPartial` is whether records were rejected. */
type ImportRun = { file: string; output: ImportResult; isPartial: boolean }
type StoredRecord = { id: string; record: Line }

const NEWLINE = 0x0a

/** Splits a file into lines, independently of the importer. @returns the nonblank lines by line number */
function splitLines(bytes: Buffer): Map<number, Buffer> {
  const lines = new Map<number, Buffer>()
  let from = bytes.subarray(0, 3).equals(Buffer.from('efbbbf', 'hex')) ? 3 : 0
  for (let number = 1; from <= bytes.length; number += 1) {
    const end = bytes.indexOf(NEWLINE, from)
    const line = bytes.subarray(from, end === -1 ? bytes.length : end)
    if (!/^[\t\r ]*$/.test(line.toString('latin1'))) lines.set(number, line)
    from = end === -1 ? bytes.length + 1 : end + 1
  }
  return lines
}

/**
 * Returns the IDs of the records before the first damaged byte, which must be imported regardless of what follows. The byte that ends a
 * record (a newline, comma or bracket) must be undamaged too.
 */
function listUndamagedIds({ format, records, original, bytes }: DamagedFile): string[] {
  let undamaged = 0
  while (undamaged < original.length && original[undamaged] === bytes[undamaged]) undamaged += 1
  const findEnd = (text: string) => {
    const end = original.indexOf(text) + Buffer.byteLength(text)
    return format !== 'NDJSON' && original[end] === NEWLINE ? end + 1 : end
  }
  return records.filter((record) => findEnd(JSON.stringify(record)) < undamaged).map(({ id }) => String(id))
}

/** Returns a line's ID in lowercase, or undefined if the line is not JSON. */
function parseId(text: string): string | undefined {
  try {
    return String((JSON.parse(text) as Line).id).toLowerCase()
  } catch {
    return undefined
  }
}

/** Returns a record without its separately stored members. */
function omitSeparateMembers({ checkIns, latestCheckIn, checkInStatus, metadata, ...record }: Line): Line {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !SECRET_MEMBERS.includes(name)))
}

/** Checks the import of a file. @returns the errors found */
function findErrors(
  damaged: DamagedFile,
  seller: string,
  { output, isPartial }: ImportRun,
  rejects: Reject[],
  stored: StoredRecord[],
): string[] {
  const errors: string[] = []
  const { read, written, unchanged, rejected } = output
  if (written + unchanged + rejected !== read) errors.push(`${read} read, ${written} + ${unchanged} imported, ${rejected} rejected`)
  if (rejects.length !== rejected || isPartial !== rejected > 0) errors.push(`${rejected} rejected, ${rejects.length} reported`)
  for (const { line, reason } of rejects)
    if (!(line > 0) || reason === '') errors.push(`a reject without a line or a reason: ${line} ${reason}`)
  if (stored.length > written) errors.push(`${stored.length} stored, ${written} written`)
  const ids = new Map(stored.map(({ id, record }) => [id, record]))
  for (const { id, record } of stored) {
    const issues = damaged.name === 'tickets' ? undefined : resources[damaged.name].record.safeParse(record).error?.issues
    if (issues || record.id !== id || record.sellerId !== seller) errors.push(`${id} is not a valid record: ${JSON.stringify(issues)}`)
  }
  for (const id of listUndamagedIds(damaged)) if (!ids.has(id)) errors.push(`${id} is before any damage and was not imported`)
  // Each line of an NDJSON file must be either stored or rejected. A damaged file that starts with `[` is read as an array.
  if (damaged.format === 'NDJSON' && !/^[\s\ufeff]*\[/.test(damaged.bytes.toString())) {
    const lines = splitLines(damaged.bytes)
    const rejectedLines = new Set(rejects.map(({ line }) => line))
    if (read !== lines.size) errors.push(`${lines.size} lines, ${read} read`)
    const originals = new Map(damaged.records.map((record) => [JSON.stringify(record), record]))
    const last = new Map<string, string>()
    for (const [number, line] of lines) {
      if (rejectedLines.has(number)) continue
      const text = line.toString().trim()
      const id = parseId(text)
      if (id === undefined) errors.push(`line ${number} is not a record and was not rejected`)
      else last.set(id, text)
    }
    if (last.size !== ids.size) errors.push(`${last.size} IDs were imported, ${ids.size} are stored`)
    for (const [id, text] of last) {
      const original = originals.get(text)
      const record = ids.get(id)
      if (!record) errors.push(`the record ${id} is neither stored nor rejected`)
      else if (original && !isDeepStrictEqual(omitSeparateMembers(record), omitSeparateMembers(toServedRecord(original, seller))))
        errors.push(`${id} differs from its line: ${JSON.stringify(record)}`)
    }
  }
  return errors.map((error) => `${damaged.name}, ${damaged.format}, ${damaged.description}: ${error}`)
}

const readStored = async ({ sql }: World, { name }: DamagedFile, seller: string): Promise<StoredRecord[]> =>
  sql<StoredRecord[]>`select id, record from ${sql(name)} where seller_id = ${seller}`

const readRejects = async (file: string): Promise<Reject[]> => {
  const text = await readFile(`${file}.rejects.ndjson`, 'utf8').catch(() => '')
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Reject)
}

test(`${FILES} damaged files are imported without a crash, and every rejected line is reported`, async ({ world }) => {
  const seed = Date.now() % 2 ** 31
  const folder = await mkdtemp(join(tmpdir(), 'desk-damaged-'))
  const files = fc.sample(damagedFile, { seed, numRuns: FILES })
  const jobs: { damaged: DamagedFile; file: string; seller: string }[] = []
  // Create the sellers one at a time: a thousand at once would wait longer for a connection than the pool allows.
  for (const [i, damaged] of files.entries()) {
    const file = join(folder, `${i}.${damaged.name}`)
    await writeFile(file, damaged.bytes)
    jobs.push({ damaged, file, seller: await makeSeller() })
  }
  const importers = await Promise.all(
    Array.from({ length: PROCESSES }, async (_, index) => {
      const list = join(folder, `jobs-${index}.json`)
      const ownJobs = jobs.filter((_, i) => i % PROCESSES === index)
      await writeFile(list, JSON.stringify(ownJobs.map(({ damaged, seller, file }) => [damaged.name, seller, file])))
      const importer = launch([...programArgs('e2e/faults/import-files.ts'), list], { DATABASE_URL: world.url, DATA_DIR: world.folder })
      expect(await importer.ended, importer.output().slice(-3_000)).toBe(0)
      return importer.output()
    }),
  )
  const runs = new Map(
    importers
      .flatMap((output) => output.split('\n').filter((line) => line.startsWith('{')))
      .map((line) => JSON.parse(line) as ImportRun)
      .map((run) => [run.file, run]),
  )
  const errors: string[] = []
  let rejectedCount = 0
  let writtenCount = 0
  for (const { damaged, file, seller } of jobs) {
    const outcome = runs.get(file)
    if (!outcome) errors.push(`${file}: not in the importer’s output`)
    else errors.push(...findErrors(damaged, seller, outcome, await readRejects(file), await readStored(world, damaged, seller)))
    rejectedCount += outcome?.output.rejected ?? 0
    writtenCount += outcome?.output.written ?? 0
  }
  expect([errors.length, errors.slice(0, 10)], `seed ${seed}`).toEqual([0, []])
  expect([writtenCount > FILES, rejectedCount > FILES / 2], 'some records are imported, and some lines are rejected').toEqual([true, true])
  await rm(folder, { recursive: true })
  const measured = `${rejectedCount.toLocaleString('en')} lines rejected, seed ${seed}`
  await report('damaged files imported', { faults: FILES, requests: writtenCount + rejectedCount, lost: 0, measured })
})
