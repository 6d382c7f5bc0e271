/**
 * npm run suite -- image: runs the steps of the Dockerfile without Docker, then starts the result as the image's user on a file system that
 * is read-only except for /data and /tmp. Requires root on Linux for mount and chroot.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { startPostgres } from '@/testing/postgres'

type Instruction = { op: string; rest: string }

/** A build stage: a folder that serves as its root, and the state set by its instructions. */
type Stage = { root: string; cwd: string; env: Record<string, string>; user?: string }

const printMessage = (text: string) => process.stdout.write(`${text}\n`)

/** Prints a message to stderr and exits with code 1. */
function exitWithMessage(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Returns the instructions of a Dockerfile, without comments. */
function readInstructions(file: string): Instruction[] {
  return readFileSync(file, 'utf8')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ op: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1).trim() }))
}

/** Returns the files in the build context: those in git and not excluded by `.dockerignore`, where the last matching pattern wins. */
function listContextFiles(): string[] {
  const rules = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => {
      const pattern = line.replace(/^!/, '').replace(/[.+^${}()|[\]]/g, '\\$&')
      const expression = pattern.replace(/\*\*\//g, '(.*/)?').replace(/(?<!\.)\*(?!\/?\))/g, '[^/]*')
      return { keep: line.startsWith('!'), expression: new RegExp(`^${expression}(/.*)?$`) }
    })
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter(
      (file) => file && existsSync(file) && !(rules.findLast(({ expression }) => expression.test(file)) ?? { keep: true }).keep === false,
    )
}

/** Creates a root with links to the host's programs, which `unshareArguments` mounts read-only. */
function createRoot(root: string): void {
  for (const folder of ['usr', 'etc', 'proc', 'dev', 'tmp', 'app', 'data']) mkdirSync(join(root, folder), { recursive: true })
  for (const link of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${link}`, join(root, link))
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Returns the arguments for `unshare` to run a command in a stage's root. To use a different Node.js than this machine's, such as the
 * image's version, set TRY_NODE to its path.
 */
function unshareArguments({ root, cwd, env, user }: Stage, words: string[], isReadOnly: boolean): string[] {
  const node = process.env.TRY_NODE
  const mounts = [
    `mount --bind ${root} ${root}`,
    // Keep steps from changing the host.
    ...['usr', 'etc'].flatMap((folder) => [`mount --bind /${folder} ${root}/${folder}`, `mount -o remount,ro,bind ${root}/${folder}`]),
    ...(node ? [`mount --bind ${resolve(node)} ${root}${execFileSync('which', ['node'], { encoding: 'utf8' }).trim()}`] : []),
    `mount -t tmpfs tmpfs ${root}/dev`,
    ...['null', 'zero', 'random', 'urandom'].flatMap((name) => [
      `touch ${root}/dev/${name}`,
      `mount --bind /dev/${name} ${root}/dev/${name}`,
    ]),
    `mount -t proc proc ${root}/proc`,
    ...(isReadOnly ? [`mount --bind ${root}/data ${root}/data`, `mount -o remount,ro,bind ${root}`] : []),
    `mount -t tmpfs tmpfs ${root}/tmp`,
  ]
  const as = user ? `setpriv --reuid=${user.split(':')[0]} --regid=${user.split(':')[1]} --clear-groups --no-new-privs ` : ''
  const vars = Object.entries({ PATH: process.env.PATH ?? '', HOME: '/tmp', ...env }).map(([name, value]) => quote(`${name}=${value}`))
  const run = `exec chroot ${root} env -i ${vars.join(' ')} ${as}sh -c ${quote(`cd ${cwd} && exec "$@"`)} sh ${words.map(quote).join(' ')}`
  return ['--mount', '--propagation', 'private', 'sh', '-c', `set -e; ${mounts.join('; ')}; ${run}`]
}

const run = (stage: Stage, words: string[], isReadOnly = false) =>
  execFileSync('unshare', unshareArguments(stage, words, isReadOnly), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  })

/** Executes a COPY instruction. @param rest the instruction's arguments */
function copy(stage: Stage, stages: Map<string, Stage>, rest: string): void {
  const words = rest.split(' ')
  const from = words[0]?.startsWith('--from=') ? stages.get(words.shift()?.slice('--from='.length) ?? '') : undefined
  const target = words.pop() ?? '.'
  if (from) {
    for (const source of words) {
      rmSync(join(stage.root, stage.cwd, target), { recursive: true, force: true })
      renameSync(join(from.root, source), join(stage.root, stage.cwd, target))
    }
    return
  }
  for (const file of listContextFiles()) {
    for (const source of words) {
      if (source !== '.' && file !== source) continue
      const to = join(stage.root, stage.cwd, target, source === '.' ? file : (file.split('/').at(-1) ?? ''))
      mkdirSync(dirname(to), { recursive: true })
      cpSync(file, to)
    }
  }
}

/** A built image: its last stage and its commands. */
type Image = { stage: Stage; entrypoint: string[]; command: string[]; health: string[] }

/** Executes the Dockerfile. @param folder the folder to create the stages' roots in */
async function build(folder: string): Promise<Image> {
  const stages = new Map<string, Stage>()
  const image: Image = { stage: { root: '', cwd: '/', env: {} }, entrypoint: [], command: [], health: [] }
  for (const { op, rest } of readInstructions('Dockerfile')) {
    const startedAt = Date.now()
    const { stage } = image
    if (op === 'FROM') {
      const name = / AS (\w+)/.exec(rest)?.[1] ?? 'last'
      const next: Stage = { root: join(folder, name), cwd: '/', env: {} }
      createRoot(next.root)
      stages.set(name, next)
      image.stage = next
    } else if (op === 'WORKDIR') stage.cwd = rest
    else if (op === 'ENV')
      for (const pair of rest.split(' ')) stage.env[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1)
    else if (op === 'COPY') copy(stage, stages, rest)
    else if (op === 'RUN') run(stage, ['sh', '-c', rest])
    else if (op === 'USER') stage.user = rest
    else if (op === 'ENTRYPOINT') image.entrypoint = JSON.parse(rest) as string[]
    else if (op === 'CMD') image.command = JSON.parse(rest) as string[]
    else if (op === 'HEALTHCHECK') image.health = JSON.parse(rest.slice(rest.indexOf('['))) as string[]
    else if (!['VOLUME', 'EXPOSE', 'STOPSIGNAL'].includes(op)) exitWithMessage(`This script does not support the instruction ${op}.`)
    printMessage(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${op} ${rest.slice(0, 100)}`)
  }
  return image
}

/** Migrates a new database, starts the server, and tests its health check and public pages. Exits with a message if anything fails. */
async function start({ stage, entrypoint, command, health }: Image): Promise<void> {
  const postgres = await startPostgres()
  try {
    const secret = 'x'.repeat(32)
    const serving: Stage = {
      ...stage,
      env: { ...stage.env, DATABASE_URL: postgres.url, NEXTAUTH_SECRET: secret, PORT: '0', HOST: '127.0.0.1' },
    }
    printMessage(run(serving, [...entrypoint, 'migrate'], true).trim())
    const child = spawn('unshare', unshareArguments(serving, [...entrypoint, ...command], true), { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const ended = new Promise<number | null>((done) => child.once('close', done))
    const port = await new Promise<string>((done, fail) => {
      const check = (chunk: Buffer) => {
        output += chunk.toString()
        const found = /is running at http:\/\/localhost:(\d+)/.exec(output)?.[1]
        if (found) done(found)
      }
      child.stdout.on('data', check)
      child.stderr.on('data', check)
      void ended.then((code) => fail(new Error(`The server exited with code ${code}:\n${output}`)))
    })
    run({ ...serving, env: { ...serving.env, PORT: port } }, health, true)
    for (const path of ['/healthz', '/readyz', '/', '/sign-in', '/docs', '/v1/openapi.json']) {
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`)
      printMessage(`${status} ${path}`)
      if (status !== 200) exitWithMessage(`${path} returns ${status}:\n${output}`)
    }
    child.kill('SIGTERM')
    const code = await ended
    printMessage(`The server exited with code ${code} after a SIGTERM.`)
    if (code !== 0) exitWithMessage(output)
    if (/EROFS|EACCES|ENOENT/.test(output))
      exitWithMessage(`The process tried to write to a read-only path, or a file is missing:\n${output}`)
  } finally {
    await postgres.remove()
  }
}

if (process.platform !== 'linux' || process.getuid?.() !== 0)
  exitWithMessage('This suite requires root on Linux, because it uses mount and chroot.')
const folder = await mkdtemp(join(tmpdir(), 'desk-image-'))
try {
  const image = await build(folder)
  const size = execFileSync('du', ['-sm', join(image.stage.root, 'app')], { encoding: 'utf8' }).split('\t')[0]
  printMessage(`The image adds ${size} MB to the base image.`)
  await start(image)
  printMessage('1 passed, 0 failed')
} catch (error) {
  const { stdout, stderr } = error as { stdout?: string; stderr?: string }
  exitWithMessage(`${(error as Error).message}\n${stdout ?? ''}${stderr ?? ''}\n0 passed, 1 failed`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
