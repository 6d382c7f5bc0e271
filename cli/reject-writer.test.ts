/** Tests the path and the content of the file for rejected records. */
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { env } from '@/lib/core/env'
import { createRejectWriter, type RejectWriter, rejectsPaths } from './reject-writer'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-'))
})
afterAll(() => rm(folder, { recursive: true }))

const REJECT = { line: 1, path: '', reason: '', text: '' }
/** Writes one record and closes the file. @returns the path of the file */
async function writeOne(rejects: RejectWriter, reject = REJECT): Promise<string | undefined> {
  await rejects.write(reject)
  await rejects.close()
  return rejects.path()
}
const countLines = async (path: string | undefined) => (await readFile(String(path), 'utf8')).trim().split('\n').length

it('tries the working directory first, and then the data directory', () => {
  expect(rejectsPaths('tickets')).toEqual(['tickets', join(env().DATA_DIR, 'tickets')])
})

it('writes both of two records that are rejected at the same time', async () => {
  const rejects = await createRejectWriter({ ownPaths: [join(folder, 'two')] })
  await Promise.all([rejects.write(REJECT), rejects.write(REJECT)])
  await rejects.close()
  expect(await countLines(join(folder, 'two.rejects.ndjson'))).toBe(2)
})

it('adds the next free number to the path if another command uses it', async () => {
  const sharedPaths = [join(folder, 'tickets')]
  const paths = await Promise.all(
    [await createRejectWriter({ sharedPaths }), await createRejectWriter({ sharedPaths })].map((rejects) => writeOne(rejects)),
  )
  expect(paths.sort()).toEqual(['tickets.2.rejects.ndjson', 'tickets.rejects.ndjson'].map((name) => join(folder, name)))
  expect(await Promise.all(paths.map(countLines))).toEqual([1, 1])
})

it('creates the file at a shared path if it cannot be created next to the input, and reports an error if neither is possible', async () => {
  const sharedPaths = [join(folder, 'payments')]
  expect(await writeOne(await createRejectWriter({ ownPaths: ['/missing/x'], sharedPaths }))).toBe(`${sharedPaths[0]}.rejects.ndjson`)
  const nowhere = await createRejectWriter({ ownPaths: ['/missing/x'], sharedPaths: ['/missing/y'] })
  const message = '/missing/x.rejects.ndjson (ENOENT), /missing/y.rejects.ndjson (ENOENT). Run the command in a writable directory.'
  await expect(nowhere.write(REJECT)).rejects.toThrow(message)
})

it('deletes the file of an earlier run for the same input', async () => {
  const file = join(folder, 'earlier.rejects.ndjson')
  await writeFile(file, '')
  await createRejectWriter({ ownPaths: [join(folder, 'earlier')] })
  await expect(readFile(file)).rejects.toThrow('ENOENT')
})

it('appends to the file of an earlier run if `append` is set, but not to a link, or to a file that others can read', async () => {
  const file = (number = '') => join(folder, `continued${number}.rejects.ndjson`)
  const write = async (text: string) =>
    writeOne(await createRejectWriter({ ownPaths: [join(folder, 'continued')], append: true }), { ...REJECT, text })
  expect([await write('a'), await write('b')]).toEqual([file(), file()])
  expect(await countLines(file())).toBe(2)
  await chmod(file(), 0o644)
  await symlink(file(), file('.2'))
  expect(await write('c')).toBe(file('.3'))
  expect([await countLines(file()), await countLines(file('.3'))]).toEqual([2, 1])
})

it('does not append a record that an earlier run has written with the same reason', async () => {
  const ownPaths = [join(folder, 'repeated')]
  const secret = { ...REJECT, text: '{"clientSecret":"CANARY","name":"a\u2028b"}' }
  for (const [reject, append, count] of [
    [secret, true, 1],
    [{ ...secret, line: 2 }, true, 1],
    [{ ...secret, reason: 'must be a string' }, true, 2],
    [secret, false, 1],
  ] as const) {
    const path = await writeOne(await createRejectWriter({ ownPaths, append }), reject)
    expect([path, await countLines(path)]).toEqual([`${ownPaths[0]}.rejects.ndjson`, count])
  }
  const rejects = await createRejectWriter({ ownPaths })
  await Promise.all([rejects.write(REJECT), rejects.write(REJECT)])
  await rejects.close()
  expect(await countLines(await rejects.path())).toBe(2)
})

it('keeps the records in a file with the next free number if another command with the same path deletes the file', async () => {
  const [base, start] = [join(folder, 'pull-payments'), () => createRejectWriter({ ownPaths: [join(folder, 'pull-payments')] })]
  const all: RejectWriter[] = []
  for (let count = 0; count < 3; count += 1) {
    const rejects = await start()
    await rejects.write(REJECT)
    all.push(rejects)
  }
  // The first file is deleted while it is written, the second one before it is closed.
  await Promise.all([all[0]?.write(REJECT), all[0]?.write(REJECT)])
  const paths: (string | undefined)[] = []
  for (const rejects of all) {
    await rejects.close()
    paths.push(await rejects.path())
  }
  expect(paths).toEqual(['.2', '.3', ''].map((number) => `${base}${number}.rejects.ndjson`))
  expect(await Promise.all(paths.map(countLines))).toEqual([3, 1, 1])
})

it.each([
  ['that the catalog defines', '{"gatewayPaymentIntentClientSecret":"CANARY","id":1}', '{"gatewayPaymentIntentClientSecret":"…","id":1}'],
  ['of another service', '{"stripePaymentIntentClientSecret" : "\\"CANARY"}', '{"stripePaymentIntentClientSecret" : "…"}'],
  ['in snake case', '{"client_secret":"CANARY"}', '{"client_secret":"…"}'],
  ['that is cut off', '{"clientSecret":"CANARY', '{"clientSecret":"…"'],
  ['that is cut off after a backslash', '{"clientSecret":"CANARY\\', '{"clientSecret":"…"'],
  ['in single quotes', "{'clientSecret': 'CANARY'}", ''],
  ['in a string', '"{\\"clientSecret\\":\\"CANARY\\"}"', ''],
  ['with an unknown name', '{"intent":"pi_1_secret_CANARY"}', ''],
  [
    'if there is one',
    '{"clientSecret":null,"event":"Secret Garden: a concert"}',
    '{"clientSecret":null,"event":"Secret Garden: a concert"}',
  ],
])('omits a client secret %s', async (_, text, written) => {
  const rejects = await createRejectWriter({ ownPaths: [join(folder, 'secrets')] })
  await rejects.write({ ...REJECT, text })
  await rejects.close()
  expect(JSON.parse(await readFile(join(folder, 'secrets.rejects.ndjson'), 'utf8')).text).toBe(written)
})
