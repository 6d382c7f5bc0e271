/** What a command of `desk` is, and what its words on the command line may be. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { z } from 'zod'
import { database } from '@/db/client'
import { isMigrated } from '@/db/migrated'
import { connect } from '@/lib/core/connect'

/** A command that can't be carried out; its message says what to do. Ends with exit code 1. */
export class CommandError extends Error {}

/** What goes to stdout, as one line of JSON; and whether part of the work was refused, which is exit code 2. */
export type Outcome = { output?: unknown; partly?: boolean }

type Options = NonNullable<ParseArgsConfig['options']>

export type Command = {
  /** The words behind `desk`, such as `key create`. */
  name: string
  /** What stands behind the name: `ID --seller ID`. */
  usage: string
  /** One sentence. */
  summary: string
  /** More, a line each: `--name N   what it is`. */
  details?: string[]
  options: Options
  /** The least and the most words that are no options. */
  arguments: [least: number, most: number]
  run(values: Values, words: string[]): Promise<Outcome>
}

export class Values {
  constructor(private readonly values: Record<string, string | boolean | (string | boolean)[] | undefined>) {}

  flag(name: string): boolean {
    return this.values[name] === true
  }

  text(name: string): string | undefined {
    const value = this.values[name]
    return typeof value === 'string' ? value : undefined
  }

  /** @throws {CommandError} where the option is missing */
  required(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw new CommandError(`--${name} is missing. See --help.`)
    return value
  }

  all(name: string): string[] {
    const value = this.values[name]
    return Array.isArray(value) ? value.map(String) : []
  }
}

export function parseCommand(command: Command, args: string[]): { values: Values; words: string[] } {
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({ args, options: command.options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new CommandError(`${(error as Error).message.split('. ')[0]}. See \`desk ${command.name} --help\`.`)
  }
  const { values, positionals } = parsed
  const [least, most] = command.arguments
  if (positionals.length < least || positionals.length > most) {
    throw new CommandError(`It is \`desk ${command.name} ${command.usage}\`. See \`desk ${command.name} --help\`.`)
  }
  return { values: new Values(values), words: positionals }
}

/**
 * Runs `work` with the configured database open and its tables in place.
 *
 * @param statementMs how long one statement may take, in milliseconds
 */
export async function withDatabase<T>(work: () => Promise<T>, statementMs?: number): Promise<T> {
  const opened = await connect({ max: 8, ...(statementMs === undefined ? {} : { statementMs }) })
  try {
    if (!(await isMigrated(database())))
      throw new CommandError('This database lacks tables of this version. Run `npm run desk -- migrate` first.')
    return await work()
  } finally {
    await opened.close()
  }
}

/** Checks what came from options against a schema, and says which option is wrong. */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const option = String(issue?.path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new CommandError(`--${option} ${issue?.message}.`)
}

/** A word to stderr, for people. */
export const say = (text: string) => process.stderr.write(`${text}\n`)
