/** The code samples accept signed webhooks, and reject all others. */
// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { generateSecret, type SignedMessage, signMessage } from './sign'
import { RECEIVERS } from './snippets'

const folder = mkdtempSync(join(tmpdir(), 'desk-receive-'))
const programs: ChildProcess[] = []
afterAll(() => {
  for (const program of programs) program.kill()
  rmSync(folder, { recursive: true, force: true })
})

const PROGRAMS = {
  'Node.js': { command: process.execPath, file: 'receiver.mjs' },
  Python: { command: 'python3', file: 'receiver.py' },
} as const

/** Starts a receiver as a user of the sample would. Returns its URL and the lines that it prints. */
async function start(name: keyof typeof PROGRAMS, secret: string): Promise<{ url: string; printed: string[] }> {
  const { command, file } = PROGRAMS[name]
  writeFileSync(join(folder, file), RECEIVERS[name])
  const env = { ...process.env, DESK_WEBHOOK_SECRET: secret, PORT: '0' }
  const program = spawn(command, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  programs.push(program)
  const printed: string[] = []
  for (const stream of [program.stdout, program.stderr]) createInterface(stream).on('line', (line) => printed.push(line))
  await expect.poll(() => printed[0], { timeout: 60_000 }).toMatch(/^Listening on port \d+$/)
  return { url: `http://127.0.0.1:${printed[0]?.split(' ').at(-1)}/hook`, printed }
}

it.each(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])(
  'the sample for %s accepts signed events, even during a rotation, and rejects others',
  async (name) => {
    const [secret, other] = [generateSecret(), generateSecret()]
    const { url, printed } = await start(name, secret)
    const message = { id: 'evt_1', type: 'payment.paid', createdAt: '2026-11-21T19:30:00.000Z', data: '{"name":"Zoë"}' }
    const send = async ({ headers, body }: SignedMessage) => {
      const response = await fetch(url, { method: 'POST', headers, body })
      return [response.status, await response.text()]
    }
    const signed = signMessage(message, [secret])
    expect(await send(signed)).toEqual([204, ''])
    expect(await send(signMessage(message, [other, secret]))).toEqual([204, ''])
    expect(await send(signMessage(message, [other]))).toEqual([400, 'Invalid signature'])
    expect(await send({ ...signed, body: '{}' })).toEqual([400, 'Invalid signature'])
    expect(await send({ headers: { ...signed.headers, 'webhook-signature': 'v1,ü' }, body: signed.body })).toEqual([
      400,
      'Invalid signature',
    ])
    expect(await send(signMessage(message, [secret], new Date(Date.now() - 600_000)))).toEqual([400, 'Timestamp too old or too new'])
    // Python cannot convert this number to a float.
    const huge = { ...signed.headers, 'webhook-timestamp': '9'.repeat(400) }
    expect((await send({ headers: huge, body: signed.body }))[0]).toBe(400)
    expect(await send({ headers: {}, body: signed.body })).toEqual([400, 'A webhook header is missing'])
    // One client disconnects in the middle of its request body, and another one sends too much.
    const interrupted = connect(Number(new URL(url).port), '127.0.0.1')
    interrupted.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1')
    await pause(100)
    interrupted.destroy()
    await send({ headers: {}, body: 'x'.repeat(1024 * 1024 + 1) }).catch(() => {})
    await expect.poll(() => printed).toContain('Rejected: Too large')
    expect(await send(signed)).toEqual([204, ''])
    await expect.poll(() => printed.filter((line) => line === 'Verified payment.paid evt_1')).toHaveLength(3)
  },
)
