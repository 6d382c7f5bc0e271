/** `desk`, the operator's command-line tool. Exit codes: 0 done, 1 failed, 2 partly rejected. */
import { runCommand } from './run-command'

process.exitCode = await runCommand(process.argv.slice(2))
// Next and the driver have timers that would keep the process alive.
process.exit()
