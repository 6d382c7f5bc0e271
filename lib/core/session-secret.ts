/** The secret that signs sessions: NEXTAUTH_SECRET, or a secret that is generated once and stored in the data folder. */
import { randomBytes } from 'node:crypto'
import { constants, copyFile, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Env, EnvError, env, MIN_SECRET_LENGTH } from './env'
import { toFileError } from './private-file'

let secret: string | undefined

/** Returns the secret. It has at least 32 characters and stays the same across restarts. */
export async function sessionSecret(): Promise<string> {
  secret ??= await readSecret()
  return secret
}

/** Returns the content of a file, or undefined if the file does not exist. @throws {FileError} if it cannot be read */
const readIfExists = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw toFileError(error, 'read', file)
  })

/**
 * Creates the file with a generated secret, unless another server has just created it. The secret is written to a draft first, so that a
 * server that starts at the same time does not read an empty file.
 *
 * @throws {FileError} if the file cannot be created
 */
async function createSecret(folder: string, file: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.draft`
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(draft, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true })
    // Some file systems have no hard links.
    await link(draft, file).catch(() => copyFile(draft, file, constants.COPYFILE_EXCL))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toFileError(error, 'write', file)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Returns the secret without caching it.
 *
 * @throws {EnvError} if the stored secret is too short
 * @throws {FileError} if the file cannot be read or created
 */
export async function readSecret({ NEXTAUTH_SECRET, DATA_DIR }: Pick<Env, 'NEXTAUTH_SECRET' | 'DATA_DIR'> = env()): Promise<string> {
  if (NEXTAUTH_SECRET !== undefined) return NEXTAUTH_SECRET
  const file = join(DATA_DIR, 'nextauth-secret')
  let stored = await readIfExists(file)
  if (stored === undefined) {
    await createSecret(DATA_DIR, file)
    stored = (await readIfExists(file)) ?? ''
  }
  if (stored.length < MIN_SECRET_LENGTH)
    throw new EnvError(
      `The secret in ${file} must be at least ${MIN_SECRET_LENGTH} characters. Restore the file. If you have no copy, delete it: docs/operations.md lists what is lost.`,
    )
  return stored
}
