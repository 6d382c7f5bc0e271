/** The process survives if the log cannot be written, and writes the buffered lines as soon as it can. */
// @module-tag slow
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const readAll = async (stream: Readable | null) => (stream ? text(stream) : '')

/** Runs a script in a separate process. @param stderr where its standard error goes @returns what the script wrote */
async function runScript(script: string, stderr: 'pipe' | number = 'pipe') {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', `import { log } from './lib/core/log.ts'\n${script}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', stderr], env: { ...process.env, LOG_LEVEL: 'info' } })
  const [output, errors] = await Promise.all([readAll(child.stdout), readAll(child.stderr)])
  return { output, errors }
}

it.runIf(process.platform === 'linux')('does not throw an error or end the process if the disk is full', async () => {
  const full = openSync('/dev/full', 'w')
  try {
    const { output } = await runScript("log().error('lost')\nsetTimeout(() => console.log('still running'), 10)", full)
    expect(output).toBe('still running\n')
  } finally {
    closeSync(full)
  }
})

it('buffers a line that could not be written, and writes it before the next one', async () => {
  const { errors } = await runScript(`
    import fs from 'node:fs'
    const { writeSync } = fs
    log().info('first')
    fs.writeSync = () => { throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' }) }
    log().info('second')
    fs.writeSync = writeSync
    log().info('third')`)
  expect(errors.match(/(?<="msg":")\w+/g)).toEqual(['first', 'second', 'third'])
})
