/** Defines what a `desk` command is, parses its arguments, and connects it to the database. */
import { constants } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { z } from 'zod'
import { database, hasDatabase, openedPools } from '@/db/client'
import { joinEmbedded, leaveInterrupted } from '@/db/embedded'
import { isMigrated } from '@/db/is-migrated'
import { migrateDatabase } from '@/db/migrate'
import { connect } from '@/lib/core/connect'
import { env } from '@/lib/core/env'
import { log } from '@/lib/core/log'
import { lowerPriority } from '@/lib/core/lower-priority'
import { onStopSignal } from './stop-signals'

/** The `withDatabase` options for commands that read or write many records. */
export const BULK_OPTIONS = { statementMs: 120_000 }

/** The maximum time that an interrupted command waits for the embedded database to stop, in milliseconds. */
const STOP_MS = 30_000

/** Thrown to end a command with exit code 1. The message says what is wrong and what to do. */
export class CommandError extends Error {}

/** Thrown to end a command that a signal has interrupted. */
export class InterruptedError extends Error {
  constructor(
    /** The exit code that shells report for a process killed by this signal. */
    readonly exitCode: number,
  ) {
    super('The command was interrupted.')
  }
}

/**
 * A command's result. `output` is printed to stdout as one line of JSON. If `isPartial` is set, for example because records were rejected,
 * the exit code is 2.
 */
export type Outcome = { output?: unknown; isPartial?: boolean }

type Options = NonNullable<ParseArgsConfig['options']>

export type Command = {
  /** The name after `desk`, such as `key create`. */
  name: string
  /** The arguments after the name, such as `ID --seller ID`. */
  usage: string
  /** A short description for the help text. */
  summary: string
  /** Additional lines of the help text, such as `--name N   the name`. */
  details?: string[]
  options: Options
  /** The minimum and maximum number of positional arguments. */
  arguments: [min: number, max: number]
  /** Runs the command. @throws {Error} one of `EXPECTED_ERRORS` in format-error.ts if it cannot be completed */
  run(values: Values, positionals: string[]): Promise<Outcome>
}

/** The values of a command's options. */
export class Values {
  constructor(
    private readonly values: Record<string, string | boolean | (string | boolean)[] | undefined>,
    private readonly commandName: string,
  ) {}

  /** Returns whether a flag (an option without a value) is set. */
  flag(name: string): boolean {
    return this.values[name] === true
  }

  /** Returns the value of an option, or undefined if the option is missing. */
  text(name: string): string | undefined {
    const value = this.values[name]
    return typeof value === 'string' ? value : undefined
  }

  /** Returns the value of a required option. @throws {CommandError} if the option is missing */
  required(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw new CommandError(`Missing option --${name}. See \`desk ${this.commandName} --help\`.`)
    return value
  }

  /**
   * Returns whether a value is to be read from standard input, because of an option such as --password-stdin.
   *
   * @param name the option for the value itself, such as `password`
   * @throws {CommandError} if both options are set
   */
  isOnStdin(name: string): boolean {
    const isOnStdin = this.flag(`${name}-stdin`)
    if (isOnStdin && this.text(name) !== undefined)
      throw new CommandError(`Use either --${name} or --${name}-stdin, not both. See \`desk ${this.commandName} --help\`.`)
    return isOnStdin
  }

  /** Returns the values of an option that can be repeated. */
  all(name: string): string[] {
    const value = this.values[name]
    return Array.isArray(value) ? value.map(String) : []
  }
}

/** Parses the arguments after a command's name. @throws {CommandError} if they are not valid for the command */
export function parseCommand(command: Command, args: string[]): { values: Values; positionals: string[] } {
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({ args, options: command.options, allowPositionals: true, strict: true })
  } catch (error) {
    // Drops advice about positional arguments, and joins the lines of other advice.
    const [problem = ''] = (error as Error).message.split('. ')
    throw new CommandError(`${problem.replaceAll('\n', ' ').replace(/\.$/, '')}. See \`desk ${command.name} --help\`.`)
  }
  const { values, positionals } = parsed
  const [min, max] = command.arguments
  if (positionals.length < min || positionals.length > max) {
    throw new CommandError(`Wrong number of arguments. Usage: desk ${command.name} ${command.usage}. See \`desk ${command.name} --help\`.`)
  }
  return { values: new Values(values, command.name), positionals }
}

/**
 * Runs `work`, which may use the embedded database. If a signal interrupts it, stops that database, unless other processes use it. Without
 * this, the database would keep running.
 *
 * @param work receives an AbortSignal that is aborted by the interruption
 * @param isServer whether `work` starts a server, which also stops when npm stops
 * @throws {InterruptedError} after a signal; `work` might still be running
 */
export async function stopIfInterrupted<T>(work: (interrupted: AbortSignal) => Promise<T>, isServer = false): Promise<T> {
  const abortController = new AbortController()
  let removeListeners = () => {}
  const interruption = new Promise<never>((_, reject) => {
    removeListeners = onStopSignal((signal) => {
      const error = new InterruptedError(128 + constants.signals[signal])
      abortController.abort(error)
      reject(error)
      return error.exitCode
    }, isServer)
  })
  try {
    return await Promise.race([work(abortController.signal), interruption])
  } catch (error) {
    if (error instanceof InterruptedError) await Promise.race([disconnect(), pause(STOP_MS)])
    throw error
  } finally {
    removeListeners()
  }
}

/** Closes the connections of this process, and releases the embedded database. Errors that this causes elsewhere are not logged. */
async function disconnect(): Promise<void> {
  log().level = 'silent'
  const pools = hasDatabase() ? [database(), ...openedPools().map(([, pool]) => pool)] : []
  await Promise.allSettled(pools.map((pool) => pool.close(0)))
  await leaveInterrupted()
}

/**
 * Connects to the configured database, runs `work`, and disconnects.
 *
 * @param statementMs the statement timeout in milliseconds; commands that set it also run at a lower CPU priority
 * @param mayCreate whether to create the embedded database if it does not exist. Off by default, so that a wrong DATA_DIR is reported
 * @throws {CommandError} if the database has not been migrated
 * @throws {EmbeddedError} if the embedded database does not exist and must not be created, or cannot be used
 */
export async function withDatabase<T>(work: () => Promise<T>, options: { statementMs?: number; mayCreate?: boolean } = {}): Promise<T> {
  const run = () => runWithDatabase(work, options)
  return env().DATABASE_URL === undefined ? stopIfInterrupted(run) : run()
}

async function runWithDatabase<T>(
  work: () => Promise<T>,
  { statementMs, mayCreate = false }: { statementMs?: number; mayCreate?: boolean },
): Promise<T> {
  const opened = await connect({ max: 8, mayCreate, ...(statementMs === undefined ? {} : { statementMs }) })
  try {
    if (!(await isMigrated(database())))
      throw new CommandError('The database is not migrated to this version of Checkout Desk. Run `npm run desk -- migrate` first.')
    // Lower the priority only now: `connect` may have started the embedded database, which would have inherited it.
    if (statementMs !== undefined) await lowerPriority()
    return await work()
  } finally {
    await opened.close()
  }
}

/**
 * Passes `work` the connection string of the database user that owns the tables. If the database is embedded, migrates it first.
 *
 * @param mayCreate whether to create the embedded database if it does not exist
 * @throws {EmbeddedError} if the embedded database does not exist and must not be created, or cannot be used
 */
export async function withOwner<T>(work: (url: string) => Promise<T>, { mayCreate = false } = {}): Promise<T> {
  const { DATABASE_URL, MIGRATE_DATABASE_URL, DATA_DIR } = env()
  const url = MIGRATE_DATABASE_URL ?? DATABASE_URL
  if (url !== undefined) return work(url)
  return stopIfInterrupted(async () => {
    const embedded = await joinEmbedded(DATA_DIR, { mayCreate })
    try {
      await migrateDatabase(embedded.url)
      return await work(embedded.url)
    } finally {
      await embedded.leave()
    }
  })
}

/**
 * Validates options against a schema, and returns the result.
 *
 * @param schema an object schema whose properties are the names of the options in camel case
 * @throws {CommandError} if an option is invalid; the message names the option
 */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const option = String(issue?.path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new CommandError(`--${option} ${issue?.message}.`)
}

/** Prints a human-readable message to stderr. */
export const printMessage = (text: string) => process.stderr.write(`${text}\n`)
