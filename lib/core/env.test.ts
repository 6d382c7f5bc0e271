/** Every variable is optional, and an invalid one is reported without its value, which might be a secret. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EnvError, readEnv, VARIABLES } from './env'

describe('env', () => {
  it('requires no variables', () => {
    expect(readEnv({})).toEqual({
      DATABASE_URL: undefined,
      DATA_DIR: '.data',
      HOST: '0.0.0.0',
      PORT: 3000,
      NEXTAUTH_URL: undefined,
      NEXTAUTH_SECRET: undefined,
      RATE_LIMIT_PER_MINUTE: 1000,
      RATE_LIMIT_STORE: 'memory',
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'false',
      LOG_LEVEL: 'info',
    })
  })

  it('documents every variable with its default in .env.example', () => {
    const lines = readFileSync('.env.example', 'utf8').split('\n')
    const example = Object.fromEntries(lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => line.split('=', 2) as [string, string]))
    expect(Object.keys(example).sort()).toEqual([...VARIABLES].sort())
    expect(readEnv(example)).toEqual(readEnv({}))
  })

  it('accepts a password and a database name with commas', () => {
    const DATABASE_URL = 'postgres://desk:a,b@db:5432/one,two'
    expect(readEnv({ DATABASE_URL }).DATABASE_URL).toBe(DATABASE_URL)
  })

  it.each(['[2001:db8::1]:5432', '%2Fvar%2Frun%2Fpostgresql'])('accepts the host %j', (host) => {
    const DATABASE_URL = `postgres://desk:s3cret@${host}/desk`
    expect(readEnv({ DATABASE_URL }).DATABASE_URL).toBe(DATABASE_URL)
  })

  it('accepts a public URL that ends with a slash', () => {
    expect(readEnv({ NEXTAUTH_URL: 'https://desk.example.com/' }).NEXTAUTH_URL).toBe('https://desk.example.com/')
  })

  it.each([
    [{ PORT: 'http' }, 'PORT must be a whole number from 0 to 65535'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535'],
    [{ DATABASE_URL: 'postgres:u:s3cret@one/desk' }, 'DATABASE_URL must be a connection string'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be a connection string'],
    [{ DATABASE_URL: 'postgres://u:s3cret@one,two/desk' }, 'DATABASE_URL must name one server; for failover, use the address of a proxy'],
    [{ DATABASE_URL: 'postgres://u:s3cret@one%2Ctwo/desk' }, 'DATABASE_URL must name one server'],
    [{ DATABASE_URL: 'postgres://u:s3cret@one:5432,two:5432/desk' }, 'DATABASE_URL must name one server'],
    [
      { DATABASE_URL: 'postgres://u:s3cret%@one/desk' },
      'DATABASE_URL contains a % that is not followed by two hexadecimal digits. Write it as %25. See',
    ],
    [
      { DATABASE_URL: 'postgres://u:s3cret@one/desk?target_session_attrs=any' },
      'DATABASE_URL cannot be used with this target_session_attrs',
    ],
    [{ DATABASE_REPLICA_URL: 'postgres://replica/desk' }, 'DATABASE_REPLICA_URL needs DATABASE_URL'],
    [{ NEXTAUTH_SECRET: 'short-s3cret' }, 'NEXTAUTH_SECRET must be at least 32 characters'],
    [{ NEXTAUTH_URL: 'desk.example.com' }, 'NEXTAUTH_URL must be the URL that users open'],
    [{ NEXTAUTH_URL: 'https://desk.example.com/shop' }, 'NEXTAUTH_URL must be the URL that users open, without a path'],
    [{ NEXTAUTH_URL: 'https://desk.example.com/?s3cret' }, 'without a path'],
    [{ METRICS_TOKEN: 'short-s3cret' }, 'METRICS_TOKEN must be at least 16 ASCII characters'],
    [{ METRICS_TOKEN: 'a s3cret with spaces in it' }, 'METRICS_TOKEN must be at least 16 ASCII characters without spaces'],
    [{ METRICS_TOKEN: 's3cret-from-a-file-0123\n' }, 'METRICS_TOKEN must be at least 16 ASCII characters without spaces'],
    [{ RATE_LIMIT_PER_MINUTE: '-1' }, 'RATE_LIMIT_PER_MINUTE must be a whole number'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace'],
  ])('reports %j in one line, without a secret', (source, message) => {
    const read = () => readEnv(source)
    expect(read).toThrow(EnvError)
    expect(read).toThrow(message)
    try {
      read()
    } catch (error) {
      expect((error as Error).message).not.toContain('s3cret')
      expect((error as Error).message).not.toContain('\n')
    }
  })
})
