/** Runs our programs in new processes, as compiled by compile.ts. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Returns the arguments with which Node runs one of our programs: as compiled by compile.ts, or from source if nothing was compiled. */
export function programArgs(file: string): string[] {
  const folder = process.env.TEST_PROGRAMS
  return folder ? [join(folder, file.replace(/\.ts$/, '.js'))] : ['--import', 'tsx', file]
}

/** Returns the arguments with which Node runs `desk`. */
export const deskArgs = (...args: string[]) => [...programArgs('cli/desk.ts'), ...args]

/** Returns the start of a shell command that runs `desk`. */
export const deskCommand = () => [process.execPath, ...deskArgs()].map((part) => `"${part}"`).join(' ')

export type DeskResult = { code: number; stdout: string; stderr: string }

/**
 * Runs `desk` in a new process.
 *
 * @param env variables that are added to this process's environment
 * @param cwd the working directory, for compiled programs
 * @returns the exit code, and what was written to standard output and standard error
 */
export const runDesk = (args: string[], env: Record<string, string | undefined> = {}, cwd?: string): Promise<DeskResult> =>
  promisify(execFile)(process.execPath, deskArgs(...args), { cwd, env: { ...process.env, MIGRATE_DATABASE_URL: '', ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: DeskResult) => ({ code, stdout, stderr }),
  )
