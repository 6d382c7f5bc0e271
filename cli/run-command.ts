/** Finds, runs and explains the commands of `desk`. JSON goes to stdout, messages go to stderr. */
import { MigrationError } from '@/db/migrate'
import { isSchemaMismatch, isUnavailable } from '@/db/unavailable'
import { RestoreError } from '@/lib/backup/restore'
import { EnvError } from '@/lib/core/env'
import { FileError } from '@/lib/core/private-file'
import { type Command, CommandError, parseCommand, say } from './command'
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

const isHelp = (word: string | undefined) => word === '--help' || word === '-h' || word === 'help'

function overview(): void {
  say('desk: runs and manages a Checkout Desk server. Usage: npm run desk -- COMMAND\n')
  for (const { name, usage, summary } of commands) say(`  desk ${name}${usage && ` ${usage}`}\n      ${summary}`)
  say('\nConfigured by environment variables; .env.example describes each of them.')
}

function explain({ name, usage, summary, details }: Command): void {
  say(`desk ${name}${usage && ` ${usage}`}\n\n${summary}`)
  if (details) say(`\n${details.map((line) => `  ${line}`).join('\n')}`)
}

async function main(args: string[]): Promise<number> {
  if (args.length === 0 || isHelp(args[0])) {
    overview()
    return args.length === 0 ? 1 : 0
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, at) => args[at] === word))
  if (!command) {
    const group = commands.filter(({ name }) => name.startsWith(`${args[0]} `))
    if (group.length > 0) {
      for (const one of group) explain(one)
      return isHelp(args[1]) ? 0 : 1
    }
    throw new CommandError(`Unknown command ${args[0]}. Run \`desk --help\` for a list.`)
  }
  const rest = args.slice(command.name.split(' ').length)
  if (rest.some((word) => word === '--help' || word === '-h')) {
    explain(command)
    return 0
  }
  const { values, positionals } = parseCommand(command, rest)
  const { output, partly } = await command.run(values, positionals)
  if (output !== undefined) process.stdout.write(`${JSON.stringify(output)}\n`)
  return partly ? 2 : 0
}

/** Expected errors. Their messages say what is wrong and what to do. */
const EXPLAINED = [CommandError, EnvError, FileError, MigrationError, RestoreError]

function printError(error: unknown): void {
  if (error instanceof Error && EXPLAINED.some((type) => error instanceof type)) say(`desk: ${error.message}`)
  else if (isUnavailable(error)) {
    const cause = (error as { cause?: unknown }).cause ?? error
    say(
      `desk: Cannot reach the database: ${(cause as Error).message || (cause as { code?: string }).code}. Check DATABASE_URL and that PostgreSQL is running. Completed work is kept.`,
    )
  } else if (isSchemaMismatch(error))
    say(`desk: ${(error as Error).message}. Run \`npm run desk -- migrate\`: the database may lack tables of this version.`)
  else if (error instanceof Error) say(`desk: ${error.stack ?? error.message}`)
  else say(`desk: ${String(error)}`)
}

/** Runs the command that the arguments name, and prints its error if it fails. @returns the exit code: 0 success, 1 failure, 2 partial success */
export async function runCommand(args: string[]): Promise<number> {
  try {
    return await main(args)
  } catch (error) {
    printError(error)
    return 1
  }
}
