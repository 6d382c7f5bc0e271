/** The secret that signs sessions. It is configured, or generated once and stored in the data folder. */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from './env'

let secret: string | undefined

/** Returns the secret. It has at least 32 characters and stays the same across restarts. */
export async function sessionSecret(): Promise<string> {
  secret ??= await readSecret()
  return secret
}

async function readSecret(): Promise<string> {
  const { NEXTAUTH_SECRET, DATA_DIR } = env()
  if (NEXTAUTH_SECRET !== undefined) return NEXTAUTH_SECRET
  const file = join(DATA_DIR, 'nextauth-secret')
  await mkdir(DATA_DIR, { recursive: true })
  const generated = randomBytes(32).toString('base64url')
  try {
    await writeFile(file, generated, { flag: 'wx', mode: 0o600 })
    return generated
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFile(file, 'utf8')
  }
}
