/** The process that renders pages survives an error of its socket. */
// @module-tag slow
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { PageMessage, PageSettings } from './page-process'

/** Returns the URL of a module with the given source. */
const toUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`

/** Replaces the modules that need a build, which the unit tests do not have. */
const LOADER = `
  const stubs = {
    '/app/prepare-next.ts': 'export const prepareNext = async () => {}',
    '/lib/http/compress-pages.ts': 'export const compressPages = () => {}; export const readBuild = async () => {}',
  }
  export function load(url, context, next) {
    const [, source] = Object.entries(stubs).find(([path]) => url.split('?')[0].endsWith(path)) ?? []
    return source ? { format: 'module', source, shortCircuit: true } : next(url, context)
  }`

/** Makes the server emit an error when the process receives SIGUSR2. */
const PRELOAD = `
  import http from 'node:http'
  import { register, syncBuiltinESMExports } from 'node:module'
  register(${JSON.stringify(toUrl(LOADER))})
  const { createServer } = http
  http.createServer = (...given) => {
    const server = createServer(...given)
    process.on('SIGUSR2', () => server.emit('error', Object.assign(new Error('accept ENOBUFS'), { code: 'ENOBUFS' })))
    return server
  }
  syncBuiltinESMExports()`

it('logs that a connection cannot be accepted, and continues to run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const child = fork('page-server.ts', {
    execArgv: ['--import', 'tsx', '--import', toUrl(PRELOAD)],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  const settings = {
    folder,
    socket: join(folder, 'socket'),
    databaseUrl: String(process.env.TEST_DATABASE_URL),
    port: 1,
    addressSecret: 'x',
  }
  child.send(settings satisfies PageSettings)
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  expect(message).toEqual({ type: 'ready' } satisfies PageMessage)
  for (let count = 1; count <= 2; count += 1) {
    child.kill('SIGUSR2')
    await expect.poll(() => output.match(/"msg":"could not accept a connection"/g), { message: output }).toHaveLength(count)
  }
  // The process deletes the folder and exits when the server disconnects from it.
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})
