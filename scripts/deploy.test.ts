/** Checks that the deployment files pass linters or parsers and match the settings that the server reads. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { lexer } from 'marked'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { openDatabase } from '@/db/client'
import { VARIABLES } from '@/lib/core/env'

const read = (file: string) => readFileSync(file, 'utf8')

/** Parses an INI file. @returns by section, the values of each key in order @throws if a line is invalid */
function parseIni(text: string): Record<string, Record<string, string[]>> {
  const sections: Record<string, Record<string, string[]>> = {}
  let section: Record<string, string[]> = {}
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || /^[#;]/.test(line)) continue
    const [, name] = /^\[(.+)\]$/.exec(line) ?? []
    const [, key, value = ''] = /^([\w-]+)\s*=\s*(.*)$/.exec(line) ?? []
    if (name) {
      section = {}
      sections[name] = section
    } else if (key) section[key] = [...(section[key] ?? []), value]
    else throw new Error(`Invalid line in an INI file: ${line}`)
  }
  return sections
}

const parseInstructions = (file: string): Instruction[] => DockerfileParser.parse(read(file)).getInstructions()
const listArguments = (instructions: Instruction[], keyword: string) =>
  instructions.filter((one) => one.getKeyword() === keyword).map((one) => one.getArgumentsContent() ?? '')

/** Returns the arguments of an instruction that has them in a JSON array. */
function listWords(instructions: Instruction[], keyword: string): string[] {
  const found = instructions.find((one): one is JSONInstruction => one.getKeyword() === keyword)
  return found?.getJSONStrings().map((one) => one.getJSONValue()) ?? []
}

type Service = {
  command?: string[]
  image?: string
  init?: boolean
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  ports?: string[]
  restart?: string
  environment?: Record<string, string>
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
}

const compose = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service>; volumes: Record<string, unknown> }

/** A variable that Compose reads. Compose fails if a required one is missing. */
type Setting = { name: string; isRequired: boolean }

/** Returns the variables that Compose reads from `.env`, at any depth within a value. */
function listSettings(value: unknown): Setting[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listSettings)
  return [...String(value).matchAll(/\$\{(\w+)(:\?)?/g)].map(([, name = '', required]) => ({ name, isRequired: required !== undefined }))
}

describe('the images', () => {
  it.each(['Dockerfile', 'deploy/pgbouncer/Dockerfile'])('have a Dockerfile that passes the linter: %s', (file) => {
    const problems = validate(read(file)).map(({ range, message }) => `${file}:${range.start.line + 1} ${message}`)
    expect(problems).toEqual([])
  })

  it('run as an unprivileged user, with pinned base images', () => {
    for (const file of ['Dockerfile', 'deploy/pgbouncer/Dockerfile']) {
      const instructions = parseInstructions(file)
      expect(listArguments(instructions, 'USER').at(-1)).toMatch(/^(1000:1000|postgres)$/)
      const bases = listArguments(instructions, 'FROM')
      expect(bases.length).toBeGreaterThan(0)
      for (const base of bases) expect(base).toMatch(/^[a-z]+:[0-9a-z-]+( AS \w+)?$/)
    }
  })

  it('exclude secrets and tests from the build context', () => {
    const excluded = read('.dockerignore').split('\n')
    for (const name of ['.env', '.git', '.data', 'node_modules', '**/*.test.ts']) expect(excluded).toContain(name)
  })
})

test('no source file in the image’s build context imports from an excluded folder', { tags: 'slow' }, () => {
  const excluded = new Set([...read('.dockerignore').split('\n'), 'e2e'])
  const folders = readdirSync('.', { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !excluded.has(entry.name) && !entry.name.startsWith('.'),
  )
  const files = folders.flatMap(({ name }) => readdirSync(name, { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)))
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
  expect(sources.length).toBeGreaterThan(200)
  /** Returns the top-level folders of a file's imports and re-exports, including type imports, because the build checks types. */
  const listImportedFolders = (file: string) =>
    parseAst(read(file), { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file)
      .body.flatMap((node) => ('source' in node && node.source ? [node.source.value] : []))
      .flatMap((module) => (module.startsWith('@/') ? [String(module.split('/')[1])] : []))
  expect(listImportedFolders('server.ts')).toEqual(expect.arrayContaining(['db', 'lib']))
  expect(sources.filter((file) => listImportedFolders(file).some((folder) => excluded.has(folder)))).toEqual([])
})

describe('compose.yaml', () => {
  const { app, migrate, desk, pgbouncer, database } = compose.services

  it('starts the services in the order of their dependencies', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['app', 'database', 'desk', 'migrate', 'pgbouncer'])
    expect(app?.depends_on).toEqual({
      migrate: { condition: 'service_completed_successfully' },
      pgbouncer: { condition: 'service_healthy' },
    })
    expect(migrate?.depends_on).toEqual({ database: { condition: 'service_healthy' } })
    for (const service of [pgbouncer, database]) expect(service?.healthcheck?.test[0]).toBe('CMD')
  })

  it('grants services only the privileges they need', () => {
    for (const service of [app, migrate, desk, pgbouncer]) {
      expect(service).toMatchObject({ read_only: true, init: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    }
    // The server does not connect as the owner of the tables and does not know the owner's password.
    expect(app?.environment?.DATABASE_URL).toMatch(/^postgres:\/\/desk_app:/)
    for (const service of [app, pgbouncer]) expect(listSettings(service).map(({ name }) => name)).not.toContain('DESK_DB_PASSWORD')
    expect(app?.ports).toEqual(['127.0.0.1:3000:3000'])
    for (const service of [migrate, desk, pgbouncer, database]) expect(service?.ports).toBeUndefined()
  })

  it('gives commands the server’s secret, with which they compute HMACs of ticket codes', () => {
    expect(desk?.environment?.NEXTAUTH_SECRET).toBeTruthy()
    expect(desk?.environment?.NEXTAUTH_SECRET).toBe(app?.environment?.NEXTAUTH_SECRET)
  })

  it('keeps values in errors out of PostgreSQL’s log', () => {
    expect(database?.command).toEqual(['-c', 'log_error_verbosity=terse'])
  })

  it('sets only variables that the server reads, and requires the secrets and the public URL in .env', () => {
    for (const service of [app, migrate, desk])
      for (const name of Object.keys(service?.environment ?? {})) expect(VARIABLES).toContain(name)
    const settings = listSettings(compose.services)
    expect([...new Set(settings.map(({ name }) => name))].sort()).toEqual([
      'DATABASE_REPLICA_URL',
      'DESK_APP_PASSWORD',
      'DESK_DB_PASSWORD',
      'LOG_LEVEL',
      'METRICS_TOKEN',
      'NEXTAUTH_SECRET',
      'NEXTAUTH_URL',
      'RATE_LIMIT_PER_MINUTE',
      'RATE_LIMIT_STORE',
      'TRUST_PROXY',
    ])
    const required = ['DESK_APP_PASSWORD', 'DESK_DB_PASSWORD', 'NEXTAUTH_SECRET', 'NEXTAUTH_URL']
    for (const { name, isRequired } of settings) expect([name, isRequired]).toEqual([name, required.includes(name)])
    const blocks = lexer(read('docs/deploy.md')).flatMap((token) => (token.type === 'code' ? [String(token.text)] : []))
    for (const name of required)
      expect(
        blocks.some((block) => block.includes(`${name}=`)),
        `docs/deploy.md sets ${name}`,
      ).toBe(true)
  })
})

/** Returns the path of a new folder, which is deleted after the test. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'desk-deploy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Creates shell scripts with a body, instead of the programs with these names. Returns an environment in which they are found first. */
function stubPrograms(names: string[], body: string): NodeJS.ProcessEnv {
  const folder = makeFolder()
  for (const name of names) writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  return { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` }
}

describe('the commands for Docker Compose', () => {
  /** Returns the only text in a document that the pattern's group matches. */
  function findCommand(file: string, pattern: RegExp): string {
    const found = [...read(file).matchAll(pattern)]
    expect(found).toHaveLength(1)
    return found[0]?.[1] ?? ''
  }

  /**
   * Runs a command from the documentation in a folder, with stubs for Docker and OpenSSL that write a line.
   *
   * @param code the exit code of the stubs
   * @returns the content of each file in the folder, and its permissions
   */
  function runCommand(command: string, folder: string, code = 0) {
    const script = `umask 022\n${command.replaceAll('/safe/place', folder)}`
    spawnSync('sh', ['-c', script], { cwd: folder, env: stubPrograms(['docker', 'openssl'], `echo written; exit ${code}`), stdio: 'pipe' })
    const paths = readdirSync(folder).map((name) => [name, join(folder, name)] as const)
    return Object.fromEntries(paths.map(([name, path]) => [name, [read(path), (statSync(path).mode & 0o777).toString(8)]]))
  }

  it('create secrets that only their owner can read', () => {
    const files = runCommand(findCommand('docs/deploy.md', /```sh\n([^`]*DESK_DB_PASSWORD=[^`]*)```/g), makeFolder())
    expect(files['.env']).toEqual([expect.stringMatching(/^DESK_DB_PASSWORD=written\nDESK_APP_PASSWORD=written\n/), '600'])
    expect(files['password.txt']).toEqual(['written\n', '600'])
  })

  it.each([
    ['docs/deploy.md', /`([^`]*pg_dump [^`]*)`/g, 'desk.dump'],
    ['docs/operations.md', /^(.*docker compose run .* desk backup .*)$/gm, 'FILE'],
  ])('write a backup that only its owner can read, and only once it is complete: %s', (document, pattern, name) => {
    const command = findCommand(document, pattern)
    const folder = makeFolder()
    writeFileSync(join(folder, name), 'old', { mode: 0o644 })
    expect(runCommand(command, folder, 1)[name]).toEqual(['old', '644'])
    expect(runCommand(command, folder)).toEqual({ [name]: ['written\n', '600'] })
  })
})

/** Returns the parameters that Checkout Desk sends when connecting (PostgreSQL manual, "Message Formats", StartupMessage). */
async function readStartupParameters(): Promise<string[]> {
  const server = createServer()
  const first = new Promise<Buffer>((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => {})
      socket.once('data', (data) => {
        resolve(data)
        socket.destroy()
      })
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const database = openDatabase({ url: `postgres://desk@127.0.0.1:${(server.address() as AddressInfo).port}/desk`, max: 1 })
  const refused = database.use(({ orm }) => orm.execute('select 1')).catch((error: unknown) => error)
  const words = (await first).subarray(8).toString().split('\0')
  expect(await refused).toBeInstanceOf(Error)
  await database.close(0)
  server.close()
  return words.filter((word, index) => index % 2 === 0 && word !== '')
}

describe('PgBouncer', () => {
  /** Runs the start script with a PgBouncer stub. @returns the configuration that it writes */
  function generateConfig() {
    const folder = mkdtempSync(join(tmpdir(), 'desk-bouncer-'))
    try {
      const program = join(folder, 'pgbouncer')
      writeFileSync(program, '#!/bin/sh\necho "PgBouncer 1.24.1"\n')
      chmodSync(program, 0o755)
      const PATH = `${folder}${delimiter}${process.env.PATH}`
      const env = { ...process.env, PATH, CONFIG_DIR: folder, DESK_APP_PASSWORD: 'secret-1' }
      execFileSync('sh', ['deploy/pgbouncer/start.sh'], { env, stdio: 'pipe' })
      expect(readFileSync(join(folder, 'users.txt'), 'utf8')).toBe('"desk_app" "secret-1"\n')
      return parseIni(readFileSync(join(folder, 'pgbouncer.ini'), 'utf8'))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it('accepts every parameter that the server sends when connecting', { tags: 'slow' }, async () => {
    const { databases, pgbouncer } = generateConfig()
    // PgBouncer forwards these parameters itself.
    const forwarded = ['user', 'database', 'client_encoding', 'application_name']
    const wanted = (await readStartupParameters()).filter((name) => !forwarded.includes(name)).sort()
    expect(wanted).toContain('statement_timeout')
    const ignored = pgbouncer?.ignore_startup_parameters?.[0]?.split(',') ?? []
    expect(ignored.filter((name) => name !== 'extra_float_digits').sort()).toEqual(wanted)
    const [, query = ''] = /connect_query='(.*)'$/.exec(databases?.desk?.[0] ?? '') ?? []
    const names = query.split(';').map((statement) => statement.trim().split(' ')[1])
    expect(names.sort()).toEqual(wanted)
  })

  it('refuses to start with a password that its configuration cannot represent', () => {
    const start = (password: string) =>
      execFileSync('sh', ['deploy/pgbouncer/start.sh'], {
        env: { ...process.env, DESK_APP_PASSWORD: password },
        stdio: 'pipe',
        encoding: 'utf8',
      })
    expect(() => start('a"b')).toThrow(/letters, digits/)
  })
})

describe('the systemd unit', () => {
  const { Service = {} } = parseIni(read('deploy/checkout-desk.service'))

  it('starts the same command as the image', () => {
    const instructions = parseInstructions('Dockerfile')
    const words = [...listWords(instructions, 'ENTRYPOINT'), ...listWords(instructions, 'CMD')]
    expect(words.length).toBeGreaterThan(2)
    expect(Service.ExecStart).toEqual([`/usr/bin/${words.join(' ')}`])
  })

  it('sets only variables that the server reads, and gives the server time to drain', () => {
    const names = (Service.Environment ?? []).flatMap((value) => value.split(' ')).map((pair) => pair.split('=')[0])
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect([...VARIABLES, 'NODE_ENV']).toContain(name)
    // The server aborts requests still running after 17 seconds.
    expect(Number(Service.TimeoutStopSec)).toBeGreaterThanOrEqual(25)
  })

  it('has the user, folder, settings and program that docs/deploy.md uses for operator commands', () => {
    const [, desk = ''] = /^(desk\(\) \{\n.*?^\})$/ms.exec(read('docs/deploy.md')) ?? []
    const env = stubPrograms(['systemd-run'], `printf '%s\\n' "$@"`)
    const words = execFileSync('sh', ['-c', `${desk}\ndesk seller list`], { env, encoding: 'utf8' })
      .trimEnd()
      .split('\n')
    for (const [option, key] of [
      ['uid=', 'User'],
      ['working-directory=', 'WorkingDirectory'],
      ['property=EnvironmentFile=', 'EnvironmentFile'],
    ] as const)
      expect(words).toContain(`--${option}${Service[key]}`)
    expect(Service.Environment?.[0]?.split(' ')).toContain(words.find((word) => word.startsWith('--setenv='))?.replace('--setenv=', ''))
    const program = String(Service.ExecStart).split(' ').slice(0, -1)
    expect(words.slice(words.indexOf('/usr/bin/node'))).toEqual([...program, 'seller', 'list'])
  })

  it('keeps the shared memory of an embedded database that a command of the same user has started', () => {
    expect(Service.RemoveIPC).toBeUndefined()
  })

  it('lets a migration take as long as it needs', () => {
    expect(Service.ExecStartPre).toEqual([expect.stringMatching(/ migrate$/)])
    expect(Service.TimeoutStartSec).toEqual(['infinity'])
  })
})
