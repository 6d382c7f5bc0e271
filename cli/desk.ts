/** `desk`, the operator's command-line tool. docs/operations.md lists the exit codes. */
import { isDriverFault } from '@/db/driver'
import { setUncaughtHandler } from '@/lib/core/handle-uncaught'
import { printMessage } from './command'
import { runCommand } from './run-command'

// A message that cannot be printed, for example because the terminal has been closed, must not end the command.
process.stderr.on('error', () => {})
setUncaughtHandler((error) => {
  // The driver has also rejected the transaction, so the command ends with that error.
  if (isDriverFault(error)) return
  printMessage(`desk: ${error instanceof Error ? error.stack : error}`)
  process.exit(1)
})
process.exitCode = await runCommand(process.argv.slice(2))
// Next and the driver have timers that would keep the process alive.
process.exit()
