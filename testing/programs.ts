/** Runs our programs in new processes. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Returns the Node.js arguments that run a program: the version compiled by compile.ts or, if there is none, the source. */
export function programArgs(file: string): string[] {
  const folder = process.env.TEST_PROGRAMS
  return folder ? [join(folder, file.replace(/\.ts$/, '.js'))] : ['--import', 'tsx', file]
}

/** Returns the Node.js arguments that run `desk`. */
export const deskArgs = (...args: string[]) => [...programArgs('cli/desk.ts'), ...args]

/** Returns a shell command that runs `desk`, to which arguments can be appended. */
export const deskCommand = () => [process.execPath, ...deskArgs()].map((part) => `"${part}"`).join(' ')

export type DeskResult = { code: number; stdout: string; stderr: string }

/**
 * Runs `desk` in a new process.
 *
 * @param env environment variables to add to those of this process
 * @param cwd the working directory; requires compiled programs
 * @returns the exit code, standard output and standard error
 */
export const runDesk = (args: string[], env: Record<string, string | undefined> = {}, cwd?: string): Promise<DeskResult> =>
  promisify(execFile)(process.execPath, deskArgs(...args), { cwd, env: { ...process.env, MIGRATE_DATABASE_URL: '', ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: DeskResult) => ({ code, stdout, stderr }),
  )
