/** Finds and runs the commands of `desk`, and prints their help. JSON goes to stdout, messages go to stderr. */
import { EmbeddedError } from '@/db/embedded-home'
import { MigrationError } from '@/db/migrate'
import { isSchemaMismatch } from '@/db/unavailable'
import { RestoreError } from '@/lib/backup/restore'
import { EnvError } from '@/lib/core/env'
import { FileError } from '@/lib/core/private-file'
import { writeStandardOutput } from '@/lib/core/standard-output'
import { type Command, CommandError, InterruptedError, parseCommand, printMessage } from './command'
import { backup, restore } from './commands/backup'
import { customersDerive, customersErase } from './commands/customers'
import { databaseUrl, migrate } from './commands/database'
import { eventsList, eventsRetry, eventsShow } from './commands/events'
import { exportCommand } from './commands/export'
import { importCommand } from './commands/import'
import { keyCreate, keyList, keyResume, keyRevoke, keyRotate } from './commands/key'
import { pullCommand } from './commands/pull'
import { recount } from './commands/recount'
import { sellerCreate, sellerList } from './commands/seller'
import { serve } from './commands/serve'
import { userAdd, userDisable, userPassword, userReset2fa } from './commands/user'
import { webhooksListen } from './commands/webhooks'
import { describeDatabaseError } from './describe-database-error'

const commands: Command[] = [
  serve,
  migrate,
  databaseUrl,
  backup,
  restore,
  sellerCreate,
  sellerList,
  userAdd,
  userDisable,
  userPassword,
  userReset2fa,
  keyCreate,
  keyList,
  keyRevoke,
  keyRotate,
  keyResume,
  importCommand,
  exportCommand,
  pullCommand,
  customersDerive,
  customersErase,
  eventsList,
  eventsShow,
  eventsRetry,
  recount,
  webhooksListen,
]

/** Returns whether an argument asks for help. */
const isHelp = (word: string | undefined) => word === '--help' || word === '-h' || word === 'help'

/** Prints the usage and the summary of every command. */
function printOverview(): void {
  printMessage('desk: runs and manages a Checkout Desk server. Usage: npm run desk -- COMMAND\n')
  for (const { name, usage, summary } of commands) printMessage(`  desk ${name}${usage && ` ${usage}`}\n      ${summary}`)
  printMessage('\nEnvironment variables configure the server and desk. See .env.example for a description of each.')
}

/** Prints the help of one command. */
function printHelp({ name, usage, summary, details }: Command): void {
  printMessage(`desk ${name}${usage && ` ${usage}`}\n\n${summary}`)
  if (details) printMessage(`\n${details.map((line) => `  ${line}`).join('\n')}`)
}

/** Runs a command or prints help. @returns the exit code @throws {CommandError} if there is no such command, or if it fails */
async function main(args: string[]): Promise<number> {
  if (args.length === 0 || isHelp(args[0])) {
    printOverview()
    return args.length === 0 ? 1 : 0
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word))
  if (!command) {
    const group = commands.filter(({ name }) => name.startsWith(`${args[0]} `))
    if (group.length > 0) {
      for (const member of group) printHelp(member)
      return isHelp(args[1]) ? 0 : 1
    }
    throw new CommandError(`Unknown command ${args[0]}. Run \`desk --help\` for a list of commands.`)
  }
  const rest = args.slice(command.name.split(' ').length)
  if (rest.some((word) => word === '--help' || word === '-h')) {
    printHelp(command)
    return 0
  }
  const { values, positionals } = parseCommand(command, rest)
  const { output, isPartial } = await command.run(values, positionals)
  if (output !== undefined) await writeStandardOutput(`${JSON.stringify(output)}\n`)
  return isPartial ? 2 : 0
}

/** Expected errors, which are printed without a stack trace. Their messages say what is wrong and what to do. */
const EXPECTED_ERRORS = [CommandError, EmbeddedError, EnvError, FileError, MigrationError, RestoreError]

function printError(error: unknown): void {
  const databaseProblem = error instanceof Error ? describeDatabaseError(error) : undefined
  if (error instanceof Error && EXPECTED_ERRORS.some((type) => error instanceof type)) printMessage(`desk: ${error.message}`)
  else if (databaseProblem) printMessage(`desk: ${databaseProblem}`)
  else if (isSchemaMismatch(error))
    printMessage(
      `desk: ${(error as Error).message}. The database may lack tables that this version needs. Run \`npm run desk -- migrate\`.`,
    )
  else if (error instanceof Error) printMessage(`desk: ${error.stack ?? error.message}`)
  else printMessage(`desk: ${String(error)}`)
}

/**
 * Runs the command specified by `args`, and prints any error.
 *
 * @returns the exit code: 0 success, 1 failure, 2 partial success, 128 plus the signal's number if a signal interrupted the command
 */
export async function runCommand(args: string[]): Promise<number> {
  try {
    return await main(args)
  } catch (error) {
    if (error instanceof InterruptedError) return error.exitCode
    printError(error)
    return 1
  }
}
