/** Handles requests to stop this process: SIGINT, SIGTERM, SIGHUP or, for a server, the exit of npm. */

/**
 * Signals within this time after the first one, in milliseconds, are ignored as duplicates, because npm and the terminal may both deliver
 * the same Ctrl-C.
 */
const REPEAT_MS = 1_000

/** How often a process that was started by npm checks whether its parent process has exited, in milliseconds. */
const ORPHAN_MS = 250

/** Stored now, because npm might stop before anything calls `onStopSignal`. */
const PARENT = process.ppid

/**
 * SIGHUP is sent when the terminal is closed. Node.js resets signals that `nohup` ignores, so without a listener, SIGHUP would end the
 * process even under `nohup`.
 */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type StopSignal = (typeof SIGNALS)[number]

/**
 * Calls `stop` on the first of `SIGNALS`. A signal more than `REPEAT_MS` later exits immediately, because stopping can take a long time. If
 * stderr is a terminal, a message then says so.
 *
 * @param stop starts to stop the process, and returns the exit code for exiting immediately
 * @param isServer whether to call `stop` when npm stops, too. A command finishes its work instead
 * @returns a function that removes the listeners
 */
export function onStopSignal(stop: (signal: StopSignal) => number, isServer: boolean): () => void {
  let stopping: { at: number; exitCode: number } | undefined
  let hint: NodeJS.Timeout | undefined
  const begin = (signal: StopSignal) => {
    if (stopping) return
    stopping = { at: performance.now(), exitCode: stop(signal) }
    hint = setTimeout(() => {
      if (process.stderr.isTTY) process.stderr.write('Stopping … Press Ctrl-C again to exit immediately.\n')
    }, REPEAT_MS).unref()
  }
  const onSignal = (signal: StopSignal) => {
    if (stopping && performance.now() - stopping.at > REPEAT_MS) process.exit(stopping.exitCode)
    begin(signal)
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  // npm kills the shell between itself and this process without forwarding the signal, so treat the shell's exit as the signal.
  const watch = setInterval(() => {
    if (isServer && process.env.npm_lifecycle_event && process.ppid !== PARENT) begin('SIGTERM')
  }, ORPHAN_MS).unref()
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
    clearTimeout(hint)
    clearInterval(watch)
  }
}
