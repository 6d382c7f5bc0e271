/** The configuration. It is read and validated only in this file, before anything starts. */
import postgres from 'postgres'
import { z } from 'zod'

/** Requires `//`: without it, the user and password in a URL would be part of its path. */
const url = (protocols: RegExp, description: string) =>
  z.url({ protocol: protocols, error: `must be ${description}` }).regex(/^\w+:\/\//, `must be ${description}`)

/**
 * Rejects a connection string that lists several hosts, or that the driver rejects. With several hosts, the driver returns no rows instead
 * of an error if the connection is lost.
 */
function checkServer(text: string, context: z.core.$RefinementCtx<string>): void {
  try {
    if (postgres(text).options.host.length === 1) return
    context.addIssue('must name one server; for failover, use the address of a proxy or a virtual IP address')
  } catch (error) {
    if (error instanceof URIError) context.addIssue('contains a % that is not followed by two hexadecimal digits. Write it as %25')
    // `url` reports text that is not a URL. The only other error is about `target_session_attrs`.
    else if (URL.canParse(text)) context.addIssue('cannot be used with this target_session_attrs, or PGTARGETSESSIONATTRS. Remove it')
  }
}

const databaseUrl = (example: string) =>
  z
    .string()
    .superRefine(checkServer)
    .pipe(url(/^postgres(ql)?$/, `a connection string such as ${example}`))

/** The links in pages, invitations and the API reference are this URL followed by a path that begins with a slash. */
const PUBLIC_URL = 'the URL that users open, without a path, such as https://desk.example.com'

/** Treats an empty variable as unset, because shells and compose files pass unset variables as empty. */
const optional = <T extends z.ZodType>(type: T) => z.preprocess((value) => (value === '' ? undefined : value), type.optional())
const withDefault = <T extends z.ZodType<unknown, string>>(type: T, value: z.input<T>) =>
  z.preprocess((text) => (text === undefined || text === '' ? value : text), type)

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((number) => number >= min && number <= max, `must be a whole number from ${min} to ${max}`)

/** The format of TRUST_PROXY. `server.ts` parses the addresses at startup. */
const TRUST_PROXY = /^(\d{1,2}|[\da-f:.]+(\/\d{1,3})?(\s*,\s*[\da-f:.]+(\/\d{1,3})?)*)$/i

/** The minimum number of characters in NEXTAUTH_SECRET. */
export const MIN_SECRET_LENGTH = 32

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

const environment = z
  .object({
    DATABASE_URL: optional(databaseUrl('postgres://user:password@host:5432/database')),
    MIGRATE_DATABASE_URL: optional(databaseUrl('postgres://owner:password@host:5432/database')),
    DATABASE_REPLICA_URL: optional(databaseUrl('postgres://user:password@replica:5432/database')),
    DATA_DIR: withDefault(z.string(), '.data'),
    HOST: withDefault(z.string(), '0.0.0.0'),
    PORT: withDefault(wholeNumber(0, 65_535), '3000'),
    NEXTAUTH_URL: optional(url(/^https?$/, PUBLIC_URL).regex(/^\w+:\/\/[^/?#@]+\/?$/, `must be ${PUBLIC_URL}`)),
    TRUST_PROXY: optional(
      z.string().regex(TRUST_PROXY, 'must be the number of proxies, or their addresses and networks, such as 127.0.0.1, 10.0.0.0/8'),
    ),
    NEXTAUTH_SECRET: optional(
      z.string().min(MIN_SECRET_LENGTH, `must be at least ${MIN_SECRET_LENGTH} characters; \`openssl rand -base64 32\` generates one`),
    ),
    RATE_LIMIT_PER_MINUTE: withDefault(wholeNumber(0, 1_000_000), '1000'),
    RATE_LIMIT_STORE: withDefault(z.enum(['memory', 'postgres'], { error: 'must be memory or postgres' }), 'memory'),
    METRICS_TOKEN: optional(
      // The token is sent in a header, as `Bearer` followed by a space and the token.
      z
        .string()
        .regex(/^[\x21-\x7e]{16,}$/, 'must be at least 16 ASCII characters without spaces; `openssl rand -base64 24` generates one'),
    ),
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: withDefault(z.enum(['true', 'false'], { error: 'must be true or false' }), 'false'),
    LOG_LEVEL: withDefault(z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }), 'info'),
  })
  .refine(({ DATABASE_URL, DATABASE_REPLICA_URL }) => DATABASE_URL !== undefined || DATABASE_REPLICA_URL === undefined, {
    path: ['DATABASE_REPLICA_URL'],
    error: 'needs DATABASE_URL: the embedded PostgreSQL has no replica',
  })

/** The names of all variables. */
export const VARIABLES = Object.keys(environment.shape)

export type Env = z.output<typeof environment>

/** Thrown if the configuration is invalid. The message says which variable is invalid and what it must be. */
export class EnvError extends Error {
  override name = 'EnvError'
}

/**
 * Parses the environment.
 *
 * @throws {EnvError} with the first invalid variable and what it must be, but never its value, which might be a secret
 */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const result = environment.safeParse(source)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new EnvError(`${String(issue?.path[0])} ${issue?.message}. See .env.example.`)
}

let current: Env | undefined

/** Returns the configuration of this process, which is read on the first call. */
export function env(): Env {
  current ??= readEnv()
  return current
}

/** Returns whether browsers reach the server over TLS, terminated by a reverse proxy. */
export const isBehindTls = (): boolean => env().NEXTAUTH_URL?.startsWith('https:') ?? false

/**
 * Returns the environment and the Node.js options for starting a process with a smaller memory footprint.
 *
 * @param heapMegabytes the process's heap limit, ignored if the operator has set one in NODE_OPTIONS
 */
export function lowMemoryOptions(heapMegabytes: number): { env: NodeJS.ProcessEnv; execArgv: string[] } {
  const isLimited = /--max[-_]old[-_]space[-_]size/.test(process.env.NODE_OPTIONS ?? '')
  return {
    // By default, the C library allocates from many arenas, and memory freed in one arena is not reused by the others.
    env: { MALLOC_ARENA_MAX: '2', ...process.env },
    execArgv: isLimited ? [] : [`--max-old-space-size=${heapMegabytes}`],
  }
}
