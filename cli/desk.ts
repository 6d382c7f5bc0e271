/** `desk`, the operator's command-line tool. Exit codes: 0 success, 1 failure, 2 partial success. */
import { runCommand } from './run-command'

process.exitCode = await runCommand(process.argv.slice(2))
// Next and the driver have timers that would keep the process alive.
process.exit()
