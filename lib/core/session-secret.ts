/** The secret that signs sessions: NEXTAUTH_SECRET, or a secret that is generated once and stored in the data folder. */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Env, EnvError, env, MIN_SECRET_LENGTH } from './env'
import { toFileError } from './private-file'

let secret: string | undefined

/** Returns the secret. It has at least 32 characters and stays the same across restarts. */
export async function sessionSecret(): Promise<string> {
  secret ??= await readSecret()
  return secret
}

/**
 * Returns the secret without caching it.
 *
 * @throws {EnvError} if the stored secret is too short, for example because the disk was full when it was written
 * @throws {FileError} if the file cannot be read or created
 */
export async function readSecret({ NEXTAUTH_SECRET, DATA_DIR }: Pick<Env, 'NEXTAUTH_SECRET' | 'DATA_DIR'> = env()): Promise<string> {
  if (NEXTAUTH_SECRET !== undefined) return NEXTAUTH_SECRET
  const file = join(DATA_DIR, 'nextauth-secret')
  try {
    await mkdir(DATA_DIR, { recursive: true })
    const generated = randomBytes(32).toString('base64url')
    await writeFile(file, generated, { flag: 'wx', mode: 0o600 })
    return generated
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toFileError(error, 'write', file)
  }
  const stored = await readFile(file, 'utf8').catch((error: unknown) => {
    throw toFileError(error, 'read', file)
  })
  if (stored.length < MIN_SECRET_LENGTH)
    throw new EnvError(
      `The secret in ${file} must be at least ${MIN_SECRET_LENGTH} characters. Restore the file. If you have no copy, delete it: docs/operations.md lists what is lost.`,
    )
  return stored
}
