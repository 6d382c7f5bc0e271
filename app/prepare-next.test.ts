/** Tests that Next does not read the project's .env files. The API and `desk` do not read them either. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

it('Next ignores the .env file', { tags: 'slow' }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-desk-env-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, '.env'), 'NEXTAUTH_URL=\nPROBE=loaded\n')
  // Without a build, `prepareNext` fails, but only after it has set up the environment.
  const script = `
    const { prepareNext } = await import('./app/prepare-next.ts')
    await prepareNext(0).catch(() => {})
    const { createRequire } = await import('node:module')
    const require = createRequire(process.cwd() + '/')
    // Without its cache, as when Next loads the files of the project for the first time.
    delete require.cache[require.resolve('@next/env')]
    require('@next/env').loadEnvConfig(process.argv[1], false)
    console.log(JSON.stringify([process.env.PROBE, process.env.NEXTAUTH_URL]))
    process.exit()`
  const { NEXTAUTH_URL: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, folder], { env })
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual([null, null])
})
