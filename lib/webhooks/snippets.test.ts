/** The programs that verify a webhook accept what the server signs, and nothing else. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { generateSecret, signMessage } from './sign'
import { VERIFIERS } from './snippets'

const folder = mkdtempSync(join(tmpdir(), 'desk-verify-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PROGRAMS = {
  'Node.js': {
    command: process.execPath,
    file: 'verify.mjs',
    end: `
const { headers, body } = JSON.parse(process.env.REQUEST)
console.log(verify(headers, body).type)`,
  },
  Python: {
    command: 'python3',
    file: 'verify.py',
    end: `
request = json.loads(os.environ["REQUEST"])
print(verify(request["headers"], request["body"].encode())["type"])`,
  },
} as const

it.each(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])('%s verifies signatures, during a rotation too, and rejects others', (name) => {
  const { command, file, end } = PROGRAMS[name]
  writeFileSync(join(folder, file), `${VERIFIERS[name]}\n${end}\n`)
  const [secret, other] = [generateSecret(), generateSecret()]
  const message = { id: 'evt_1', type: 'payment.paid', createdAt: '2026-11-21T19:30:00.000Z', data: '{"name":"Zoë"}' }
  const verify = (request: object) =>
    execFileSync(command, [join(folder, file)], {
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, DESK_WEBHOOK_SECRET: secret, REQUEST: JSON.stringify(request) },
    }).trim()
  expect(verify(signMessage(message, [secret]))).toBe('payment.paid')
  expect(verify(signMessage(message, [other, secret]))).toBe('payment.paid')
  expect(() => verify(signMessage(message, [other]))).toThrow('Wrong signature')
  expect(() => verify({ ...signMessage(message, [secret]), body: '{}' })).toThrow('Wrong signature')
  expect(() => verify(signMessage(message, [secret], new Date(Date.now() - 600_000)))).toThrow('Too old')
})
