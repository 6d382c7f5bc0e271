/** Where rejects are written if there is no input file. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { env } from '@/lib/core/env'
import { rejectsPath } from './rejects'

it('is the working directory, or the data directory if the working directory cannot be written to', async () => {
  expect(await rejectsPath('payments.rejects.ndjson')).toBe('payments.rejects.ndjson')
  expect(await rejectsPath('payments.rejects.ndjson', '/missing')).toBe(join(env().DATA_DIR, 'payments.rejects.ndjson'))
})
