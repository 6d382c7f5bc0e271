/** What the server is deployed with, against what the server is: linted, and none of it says what is not so. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { describe, expect, it, test } from 'vitest'
import { parse } from 'yaml'
import { VARIABLES } from '@/lib/core/env'

const read = (file: string) => readFileSync(file, 'utf8')

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

/** A setting that compose fills in from the file `.env`. */
const filledIn = (text: string) => [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name)

describe('the images', () => {
  it.each(['Dockerfile', 'deploy/pgbouncer/Dockerfile'])('%s is found without fault by the linter', (file) => {
    const faults = validate(read(file)).map(({ range, message }) => `${file}:${range.start.line + 1} ${message}`)
    expect(faults).toEqual([])
  })

  it('run as someone who is not root, pinned to a release of their base', () => {
    for (const file of ['Dockerfile', 'deploy/pgbouncer/Dockerfile']) {
      const lines = read(file).split('\n')
      const user = lines.findLast((line) => line.startsWith('USER '))?.slice('USER '.length)
      expect(user).toMatch(/^(1000:1000|postgres)$/)
      for (const line of lines.filter((one) => one.startsWith('FROM '))) expect(line).toMatch(/^FROM [a-z]+:[0-9a-z-]+( AS \w+)?$/)
    }
  })

  it('hold no secret and no test: what the context leaves out', () => {
    const left = read('.dockerignore').split('\n')
    for (const name of ['.env', '.git', '.data', 'node_modules', '**/*.test.ts']) expect(left).toContain(name)
  })
})

test('the image’s context holds nothing that needs what is left out of it', () => {
  const left = new Set([...read('.dockerignore').split('\n'), 'e2e'])
  const folders = readdirSync('.', { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !left.has(entry.name) && !entry.name.startsWith('.'),
  )
  const files = folders.flatMap(({ name }) => readdirSync(name, { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)))
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
  expect(sources.length).toBeGreaterThan(200)
  const imported = (file: string) => [...read(file).matchAll(/from '@\/(\w+)/g)].map(([, folder = '']) => folder)
  expect(sources.filter((file) => imported(file).some((folder) => left.has(folder)))).toEqual([])
})

describe('compose.yaml', () => {
  const { app, migrate, desk, pgbouncer, database } = compose.services

  it('starts the services in the order in which they need each other', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['app', 'database', 'desk', 'migrate', 'pgbouncer'])
    expect(app?.depends_on).toEqual({
      migrate: { condition: 'service_completed_successfully' },
      pgbouncer: { condition: 'service_healthy' },
    })
    expect(migrate?.depends_on).toEqual({ database: { condition: 'service_healthy' } })
    for (const service of [pgbouncer, database]) expect(service?.healthcheck?.test[0]).toBe('CMD')
  })

  it('gives what it runs no right that it does not need', () => {
    for (const service of [app, migrate, desk, pgbouncer]) {
      expect(service).toMatchObject({ read_only: true, init: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    }
    expect(app?.ports).toEqual(['127.0.0.1:3000:3000'])
    for (const service of [migrate, desk, pgbouncer, database]) expect(service?.ports).toBeUndefined()
  })

  it('sets variables that the server reads, and asks for the secrets instead of knowing them', () => {
    for (const service of [app, migrate, desk])
      for (const name of Object.keys(service?.environment ?? {})) expect(VARIABLES).toContain(name)
    const asked = new Set(filledIn(read('compose.yaml')))
    expect([...asked].sort()).toEqual([
      'DATABASE_REPLICA_URL',
      'DESK_DB_PASSWORD',
      'LOG_LEVEL',
      'METRICS_TOKEN',
      'NEXTAUTH_SECRET',
      'NEXTAUTH_URL',
      'RATE_LIMIT_PER_MINUTE',
      'RATE_LIMIT_STORE',
    ])
    for (const name of ['DESK_DB_PASSWORD', 'NEXTAUTH_SECRET', 'NEXTAUTH_URL'])
      expect(read('compose.yaml')).toMatch(new RegExp(`\\$\\{${name}:\\?`))
    expect(read('docs/deploy.md')).toMatch(/DESK_DB_PASSWORD=[\s\S]*NEXTAUTH_SECRET=[\s\S]*NEXTAUTH_URL=/)
  })
})

describe('PgBouncer', () => {
  const script = read('deploy/pgbouncer/start.sh')

  it('gives each connection what the server asks for when it connects', () => {
    const [, asked = ''] = /\n {6}connection: \{([\s\S]*?)\n {6}\}/.exec(read('db/client.ts')) ?? []
    const wanted = [...asked.matchAll(/^ {8}(\w+):/gm)].map(([, name]) => name).filter((name) => name !== 'application_name')
    expect(wanted.length).toBeGreaterThan(2)
    const [, ignored = ''] = /^ignore_startup_parameters = (.*)$/m.exec(script) ?? []
    expect(ignored.split(',').sort()).toEqual([...wanted, 'extra_float_digits'].sort())
    expect([...script.matchAll(/set (\w+) = /g)].map(([, name]) => name).sort()).toEqual([...wanted].sort())
  })

  it('is not started with a password that would not fit into its configuration', () => {
    const start = (password: string) =>
      execFileSync('sh', ['deploy/pgbouncer/start.sh'], {
        env: { ...process.env, DESK_DB_PASSWORD: password },
        stdio: 'pipe',
        encoding: 'utf8',
      })
    expect(() => start('a"b')).toThrow(/letters, digits/)
  })
})

describe('the systemd unit', () => {
  const unit = read('deploy/checkout-desk.service')

  it('starts what the image starts', () => {
    const [, entrypoint = ''] = /^ENTRYPOINT (.*)$/m.exec(read('Dockerfile')) ?? []
    const [, command = ''] = /^CMD (.*)$/m.exec(read('Dockerfile')) ?? []
    const words = [...(JSON.parse(entrypoint) as string[]), ...(JSON.parse(command) as string[])]
    expect(unit).toContain(`ExecStart=/usr/bin/${words.join(' ')}\n`)
  })

  it('sets variables that the server reads, and lets it drain', () => {
    const [, given = ''] = /^Environment=(.*)$/m.exec(unit) ?? []
    for (const pair of given.split(' ')) expect([...VARIABLES, 'NODE_ENV']).toContain(pair.split('=')[0])
    expect(unit).toMatch(/^TimeoutStopSec=30$/m)
  })
})
