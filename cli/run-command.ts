/** Finds and runs the commands of `desk`, and prints their help. JSON and requested help go to stdout, messages go to stderr. */
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
import { formatError } from './format-error'

export const commands: readonly Command[] = [
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

/** Returns the usage and the summary of every command. */
const formatOverview = () =>
  [
    'desk: runs and manages a Checkout Desk server. Usage: npm run desk -- COMMAND\n',
    ...commands.map(({ name, usage, summary }) => `  desk ${name}${usage && ` ${usage}`}\n      ${summary}`),
    '\nEnvironment variables configure the server and desk. See .env.example for a description of each.\n',
  ].join('\n')

/** Returns the help of one command. */
const formatHelp = ({ name, usage, summary, details = [] }: Command) =>
  `desk ${name}${usage && ` ${usage}`}\n\n${summary}\n${details.length > 0 ? `\n${details.map((line) => `  ${line}\n`).join('')}` : ''}`

/** Prints help: to stdout if it was requested, or to stderr if a command is missing. @returns the exit code */
async function printHelp(text: string, isRequested: boolean): Promise<number> {
  if (isRequested) await writeStandardOutput(text)
  else process.stderr.write(text)
  return isRequested ? 0 : 1
}

/** Runs a command or prints help. @returns the exit code @throws {CommandError} if there is no such command */
async function main([first, ...others]: string[]): Promise<number> {
  if (first === undefined) return printHelp(formatOverview(), false)
  // `desk help import` is the same as `desk import --help`.
  const args = first === 'help' ? [...others, '--help'] : [first, ...others]
  if (isHelp(args[0])) return printHelp(formatOverview(), true)
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word))
  if (!command) {
    const group = commands.filter(({ name }) => name.startsWith(`${args[0]} `))
    const [, word = ''] = args
    if (group.length > 0 && (isHelp(word) || word === '')) return printHelp(group.map(formatHelp).join('\n'), isHelp(word))
    const unknown = group.length > 0 ? `${args[0]} ${word}` : args[0]
    throw new CommandError(`Unknown command: ${unknown}. Run \`desk --help\` for a list of commands.`)
  }
  const rest = args.slice(command.name.split(' ').length)
  if (rest.some((word) => word === '--help' || word === '-h')) {
    return printHelp(formatHelp(command), true)
  }
  const { values, positionals } = parseCommand(command, rest)
  const { output, isPartial } = await command.run(values, positionals)
  if (output !== undefined) await writeStandardOutput(`${JSON.stringify(output)}\n`)
  return isPartial ? 2 : 0
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
    printMessage(`desk: ${formatError(error)}`)
    return 1
  }
}
