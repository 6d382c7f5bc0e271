/**
 * Prepares what `npm run dev`, `npm run demo` and `npm test` need: checks the Node.js version, installs packages, and builds the pages.
 * Imports only built-in modules, because the packages may not be installed yet.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isWindows = process.platform === 'win32'
const npm = isWindows ? 'npm.cmd' : 'npm'

/** Prints a message to stderr and exits with code 1. @param {string} message what is wrong and what to do */
export function exitWithMessage(message) {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}

/** Exits with a message if this version of Node.js is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 15))
    exitWithMessage(`Checkout Desk requires Node.js 20.15 or newer, but this is ${process.versions.node}. See https://nodejs.org.`)
}

/** Runs a step, and prints its name and duration. */
export async function step(name, work) {
  const begun = Date.now()
  process.stderr.write(`  ${name} …\n`)
  const result = await work()
  process.stderr.write(`  ${name}: ${((Date.now() - begun) / 1000).toFixed(1)} s\n`)
  return result
}

/**
 * Runs a command in the project's folder.
 *
 * @param {{ quiet?: boolean, env?: NodeJS.ProcessEnv }} options `quiet`: whether to return the output instead of printing it
 * @returns {Promise<{ code: number, output: string }>} the exit code, and the output if `quiet`
 */
export function run(command, args, { quiet = true, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    // Windows runs .cmd files only in a shell, which splits paths at spaces.
    const shell = command.endsWith('.cmd')
    const child = spawn(shell ? `"${command}"` : command, args, {
      cwd: root,
      env,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      shell,
    })
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    child.stderr?.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

const digest = (text) => createHash('sha256').update(text).digest('hex')

const readOr = (file, fallback) => readFile(file, 'utf8').catch(() => fallback)

/**
 * Returns whether every package of a lockfile is installed, except optional ones, which depend on the platform.
 *
 * @param wanted the `packages` of the lockfile, by path
 * @param recorded the packages in `node_modules/.package-lock.json`, where npm records what it has installed
 */
export const hasPackages = (wanted, recorded = {}) =>
  Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    const found = recorded[path]
    return path === '' || (found ? found.version === version && found.integrity === integrity : optional === true)
  })

/** Installs the packages, unless those of this lockfile are already installed. */
export async function install() {
  const stamp = join(root, 'node_modules', '.checkout-desk')
  const lockfile = await readFile(join(root, 'package-lock.json'), 'utf8')
  const wanted = digest(lockfile)
  if ((await readOr(stamp, '')) === wanted) return
  const record = await readOr(join(root, 'node_modules', '.package-lock.json'), '{}')
  if (!hasPackages(JSON.parse(lockfile).packages, JSON.parse(record).packages)) {
    await step('Packages', async () => {
      const { code, output } = await run(npm, ['ci', '--include=dev', '--no-audit', '--no-fund'])
      if (code !== 0) exitWithMessage(`The packages could not be installed.\n${output.trim().split('\n').slice(-12).join('\n')}`)
    })
  }
  await writeFile(stamp, wanted)
}

/** The files and folders that the build depends on. */
const SOURCES = [
  'app',
  'lib',
  'db',
  'public',
  'package-lock.json',
  'next.config.mjs',
  'tsconfig.json',
  'postcss.config.mjs',
  'instrumentation.ts',
  'instrumentation-client.ts',
  'proxy.ts',
]

/** Returns the path of a file, or the paths of all files in a folder and its subfolders; an empty list if the path does not exist. */
async function listFiles(path) {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined)
  if (!entries) return existsSync(path) ? [path] : []
  const nested = await Promise.all(
    entries.map((entry) => (entry.isDirectory() ? listFiles(join(path, entry.name)) : [join(path, entry.name)])),
  )
  return nested.flat()
}

/** Returns a digest of all files that the build depends on. */
async function sourceDigest() {
  const files = (await Promise.all(SOURCES.map((source) => listFiles(join(root, source))))).flat().sort()
  const parts = await Promise.all(files.map(async (file) => `${relative(root, file)} ${digest(await readFile(file))}`))
  return digest(parts.join('\n'))
}

const buildStamp = join(root, '.next', 'checkout-desk')

/**
 * Builds the pages, and records which sources were built.
 *
 * @param {{ quiet: boolean, env?: NodeJS.ProcessEnv }} options `quiet`: whether to return the output instead of printing it
 * @returns {Promise<{ code: number, output: string }>} the exit code of `next build`
 */
export async function buildPages({ quiet, env = process.env }) {
  const wanted = await sourceDigest()
  // Without this variable, Next would load the project's .env files, which the server does not read.
  const buildEnv = { ...env, __NEXT_PROCESSED_ENV: 'true' }
  const result = await run(process.execPath, [join(root, 'node_modules/next/dist/bin/next'), 'build'], { quiet, env: buildEnv })
  if (result.code === 0) await writeFile(buildStamp, wanted)
  return result
}

/** Builds the pages, unless the current sources are already built. */
export async function build() {
  if ((await readOr(buildStamp, '')) === (await sourceDigest())) return
  await step('Build', async () => {
    const { code, output } = await buildPages({ quiet: true, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', DESK_BUILD_ONCE: '1' } })
    if (code !== 0) exitWithMessage(`The build failed.\n${output.trim().split('\n').slice(-30).join('\n')}`)
  })
}
