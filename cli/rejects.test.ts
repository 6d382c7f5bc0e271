/** The file with rejected records: where it is, and what it contains. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { env } from '@/lib/core/env'
import { rejectsPath, startRejects } from './rejects'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-'))
})
afterAll(() => rm(folder, { recursive: true }))

it('is the working directory, or the data directory if the working directory cannot be written to', async () => {
  expect(await rejectsPath('payments.rejects.ndjson')).toBe('payments.rejects.ndjson')
  expect(await rejectsPath('payments.rejects.ndjson', '/missing')).toBe(join(env().DATA_DIR, 'payments.rejects.ndjson'))
})

it.each([
  ['of the catalog', '{"gatewayPaymentIntentClientSecret":"CANARY","id":1}', '{"gatewayPaymentIntentClientSecret":"…","id":1}'],
  ['of another service', '{"stripePaymentIntentClientSecret" : "\\"CANARY"}', '{"stripePaymentIntentClientSecret" : "…"}'],
  ['in snake case', '{"client_secret":"CANARY"}', '{"client_secret":"…"}'],
  ['that is cut off', '{"clientSecret":"CANARY', '{"clientSecret":"…"'],
  ['that is cut off after a backslash', '{"clientSecret":"CANARY\\', '{"clientSecret":"…"'],
])('omits a secret %s', async (_, text, written) => {
  const file = join(folder, 'secrets.rejects.ndjson')
  const rejects = await startRejects(file)
  await rejects.write({ line: 1, path: '', reason: '', text })
  await rejects.close()
  expect(JSON.parse(await readFile(file, 'utf8')).text).toBe(written)
})
