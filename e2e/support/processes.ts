/** Runs the real programs: `desk` and Next.js's own server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { runCommand } from '@/cli/run-command'
import { database, hasDatabase, setDatabase } from '@/db/client'
import { type DeskResult, deskArgs } from '@/testing/programs'

export type Program = {
  child: ChildProcess
  /** Returns the output to stdout and stderr so far. */
  output(): string
  /** Waits for output that matches the pattern. If the program ends first, rejects with its complete output. */
  waitForOutput(pattern: RegExp): Promise<RegExpMatchArray>
  /** Resolves with the exit code, or null if the program was killed by a signal. */
  ended: Promise<number | null>
}

/** Starts Node.js. @param env environment variables to add to those of this process */
export function launch(args: string[], env: Record<string, string | undefined> = {}): Program {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const listeners = new Set<() => void>()
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
    for (const listener of listeners) listener()
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  return {
    child,
    output: () => output,
    ended,
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = output.match(pattern)
          if (!match) return
          listeners.delete(check)
          resolve(match)
        }
        listeners.add(check)
        check()
        void ended.then((code) => reject(new Error(`The program exited with ${code} before it printed ${pattern}:\n${output}`)))
      }),
  }
}

/** Starts `desk`. @param options options for Node.js */
export const desk = (args: string[], env?: Record<string, string | undefined>, options: string[] = []) =>
  launch([...options, ...deskArgs(...args)], env)

/**
 * Runs a `desk` command against the test database in this process, because a new process takes a second to start. Only one command can run
 * at a time, because output is captured from this process's streams.
 */
export async function runDeskInProcess(args: string[]): Promise<DeskResult> {
  const before = hasDatabase() ? database() : undefined
  const { stdout, stderr } = process
  const writes = [stdout.write, stderr.write] as const
  const result: DeskResult = { code: 0, stdout: '', stderr: '' }
  const collect =
    (stream: 'stdout' | 'stderr'): typeof stdout.write =>
    (chunk: string | Uint8Array, ...rest: unknown[]) => {
      result[stream] += Buffer.from(chunk as Uint8Array).toString()
      const callback = rest.find((argument) => typeof argument === 'function') as (() => void) | undefined
      if (callback) process.nextTick(callback)
      return true
    }
  stdout.write = collect('stdout')
  stderr.write = collect('stderr')
  try {
    result.code = await runCommand(args)
  } finally {
    stdout.write = writes[0]
    stderr.write = writes[1]
    setDatabase(before)
  }
  return result
}

/** Starts a server, on a free port unless `env` sets one, and waits until it accepts connections. */
export async function serve(env: Record<string, string | undefined>): Promise<Program & { url: string }> {
  const program = desk(['serve'], { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', ...env })
  const [, port] = await program.waitForOutput(/is running at http:\/\/localhost:(\d+)/)
  return { ...program, url: `http://127.0.0.1:${port}` }
}

/** Starts a server for API tests. It responds with a 503 to requests for pages. */
export const serveApi = (env: Record<string, string | undefined>) => serve({ ...env, TEST_PAGES: 'none' })

/** Waits until a server is ready. A server accepts connections before its connection pools are open. */
export async function untilReady({ url, ended, output }: Program & { url: string }): Promise<void> {
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  while ((await fetch(`${url}/readyz`)).status !== 200) {
    if (hasEnded) throw new Error(`The server exited before it was ready:\n${output()}`)
    await pause(50)
  }
}

/** Starts Next.js's own server (`next start`) on a free port. */
export async function serveNext(env: Record<string, string | undefined>): Promise<Program & { url: string }> {
  const args = ['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1']
  const program = launch(args, { ...env, NODE_ENV: 'production' })
  const [, port] = await program.waitForOutput(/http:\/\/127\.0\.0\.1:(\d+)/)
  await program.waitForOutput(/Ready in/)
  return { ...program, url: `http://127.0.0.1:${port}` }
}

/** Sends a signal to a program and waits until it exits. @returns its exit code, or null if the signal killed it */
export async function stop({ child, ended }: Program, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  child.kill(signal)
  return ended
}
