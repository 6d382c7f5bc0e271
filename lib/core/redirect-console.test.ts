/** Every console call, including those of libraries, is logged as one JSON object. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

/** Runs a script after `redirectConsole()`. @returns the lines that it wrote to stdout and stderr */
function runScript(script: string): string[] {
  const program = `import { redirectConsole } from './lib/core/redirect-console.ts'\nredirectConsole()\n${script}`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', `${program}\nprocess.stderr._handle?.setBlocking?.(true)`]
  const output = execFileSync('sh', ['-c', '"$0" "$@" 2>&1', process.execPath, ...args], { encoding: 'utf8' })
  return output.split('\n').filter((line) => line !== '')
}

it('writes each call as one line of JSON, which includes the stack of an error', { tags: 'slow' }, () => {
  const lines = runScript(`
    console.error('\\u001b[31m⨯\\u001b[39m', new TypeError('first\\nsecond'))
    console.warn('[next-auth][error][JWT_SESSION_ERROR]', '\\nhttps://next-auth.js.org', { message: 'bad cookie', stack: 'Error: bad cookie\\n    at file.js:1:1', name: 'JWEError' })
    console.log('several\\nlines of %s for jane@example.com', 'text')
    process.emitWarning('something is deprecated', 'DeprecationWarning')
  `)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, msg: '⨯', error: { class: 'TypeError', message: 'first\nsecond', stack: expect.stringMatching(/^at /) } },
    {
      level: 40,
      msg: '[next-auth][error][JWT_SESSION_ERROR] https://next-auth.js.org',
      error: { class: 'JWEError', message: 'bad cookie', stack: 'at file.js:1:1' },
    },
    { level: 30, msg: 'several lines of text for …@…' },
    { level: 40, msg: 'warning', error: { class: 'DeprecationWarning', message: 'something is deprecated' } },
  ])
})
