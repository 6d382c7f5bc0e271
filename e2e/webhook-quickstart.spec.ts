/** Tests that the commands in the API reference's webhook quickstart are enough to receive and verify an event. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openApiDocument } from '@/lib/http/openapi/document'
import { EXAMPLE_URL } from '@/lib/http/openapi/samples'
import { RECEIVERS } from '@/lib/webhooks/snippets'
import { expect, test } from './support/api'

/** The port used by the receiver in the guide. */
const PORT = '8080'
const RECEIVER_FILES = { 'Node.js': 'receiver.mjs', Python: 'receiver.py' } as const

/** Returns the code blocks in a section of the API reference's guide. */
function listBlocks(title: string): string[] {
  const section = openApiDocument().info.description.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/```(?:sh|text|js|python)\n([\s\S]*?)\n```/g)].map(([, code = '']) => code)
}

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0)
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

test('an event can be received and verified with the commands in the webhook quickstart, in Node.js and in Python', async ({ api }) => {
  const key = await api.keyWith('events:read', 'coupons:write')
  const folder = await mkdtemp(join(tmpdir(), 'desk-quickstart-'))
  const processes: ChildProcess[] = []
  /** Starts a command in the background. @returns an array that collects its output lines */
  const run = (command: string, env: Record<string, string>): string[] => {
    const child = spawn('sh', ['-c', command], { cwd: folder, env: { ...process.env, ...env }, detached: true })
    processes.push(child)
    const lines: string[] = []
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line))
    return lines
  }
  try {
    for (const [name, file] of Object.entries(RECEIVER_FILES)) {
      const port = await findFreePort()
      const [, listen = '', printed = '', receive = '', change = ''] = listBlocks('Webhook quickstart').map((code) =>
        code.replaceAll(EXAMPLE_URL, api.url).replaceAll(PORT, port),
      )
      const listener = run(listen, { DESK_KEY: key })
      await expect.poll(() => listener).toContain('Waiting for events. Press Ctrl-C to stop.')
      const secret =
        listener
          .find((line) => line.includes('export'))
          ?.split('=')
          .slice(1)
          .join('=') ?? ''
      expect(listener.join('\n').replaceAll(secret, 'whsec_…')).toContain(printed)
      expect(listBlocks('Verify webhooks')).toContain(RECEIVERS[name as keyof typeof RECEIVERS])
      await writeFile(join(folder, file), RECEIVERS[name as keyof typeof RECEIVERS])
      const command = name === 'Python' ? `python3 ${file}` : receive
      const receiver = run(command, { DESK_WEBHOOK_SECRET: secret, PORT: port })
      await expect.poll(() => receiver).toEqual([`Listening on port ${port}`])
      execFileSync('sh', ['-c', change.replace('HOOK-', `HOOK-${port}-`)], { env: { ...process.env, DESK_KEY: key }, stdio: 'ignore' })
      await expect.poll(() => receiver.at(-1)).toMatch(/^Verified coupon\.created evt_[0-9a-f]{24}$/)
      await expect.poll(() => listener.at(-1)).toMatch(/^coupon\.created evt_[0-9a-f]{24}: 204 \(\d+ ms\)$/)
    }
  } finally {
    for (const { pid } of processes) if (pid !== undefined) process.kill(-pid)
    await rm(folder, { recursive: true, force: true })
  }
})
