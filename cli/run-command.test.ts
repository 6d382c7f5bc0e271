/** Tests where `desk` prints its help, what it says about unknown commands, and that every command is documented. */
// @module-tag slow
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { runDesk } from '@/testing/programs'
import { commands } from './run-command'

const run = (...args: string[]) => runDesk(args)

it.each([
  [['--help'], /^desk: runs and manages .* desk serve\n.* desk webhooks listen /s],
  [['help', 'import'], /^desk import RESOURCE FILE\|- --seller ID .*\n\nImports records: .*\n {2}--events +write an event/s],
  [['key', '--help'], /^desk key create --seller ID .*\n\ndesk key list .*\n\ndesk key resume /s],
])('prints requested help to standard output: desk %j', async (args, text) => {
  expect(await run(...args)).toEqual({ code: 0, stdout: expect.stringMatching(text), stderr: '' })
})

it.each([
  [[], /^desk: runs and manages /],
  [['key'], /^desk key create /],
  [['key', 'bogus'], /^desk: Unknown command: key bogus\. Run `desk --help` for a list of commands\.\n$/],
])('fails, and prints nothing to standard output, if there is no such command: desk %j', async (args, text) => {
  expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(text) })
})

it.each([
  [['seller', 'create', '--name', 'x', '--email', 'x@example.com', '--password', 'first', '--password-stdin'], 'password'],
  [['user', 'password', '--seller', 'x', '--email', 'x@example.com', '--password', 'first', '--password-stdin'], 'password'],
  [['pull', '--from', 'https://desk.example.com', '--seller', 'x', '--key', 'first', '--key-stdin'], 'key'],
])('fails if a secret is both an option and on standard input: desk %j', async (args, name) => {
  const help = `desk ${args[0] === 'pull' ? 'pull' : args.slice(0, 2).join(' ')} --help`
  const stderr = `desk: Use either --${name} or --${name}-stdin, not both. See \`${help}\`.\n`
  expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr })
})

it('names the command whose help describes a missing option', async () => {
  const stderr = 'desk: Missing option --seller. See `desk key revoke --help`.\n'
  expect(await run('key', 'revoke', 'x')).toEqual({ code: 1, stdout: '', stderr })
})

it('says on one line how to write a value that starts with a dash', async () => {
  const { code, stderr } = await run('user', 'password', '--seller', 'x', '--password', '-secret')
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^desk: Option '--password' argument is ambiguous\. .* use '--password=-XYZ'\. See `desk user password --help`\.\n$/,
  )
})

it.each(commands.map((command) => [command.name, command] as const))('accepts only the options in its help: desk %s', (_, command) => {
  const help = [command.usage, ...(command.details ?? [])].join('\n')
  expect(Object.keys(command.options).filter((option) => !new RegExp(`--${option}(?![\\w-])`).test(help))).toEqual([])
})

it('docs/operations.md lists every command', async () => {
  const { stdout } = await run('--help')
  const names = [...stdout.matchAll(/^ {2}desk ([a-z]\S*(?: [a-z]\S*)?)/gm)].map(([, name]) => name)
  expect(names).toContain('customers erase')
  const [, rest = ''] = (await readFile('docs/operations.md', 'utf8')).split('\n## Commands\n')
  const [section = ''] = rest.split('\n## ')
  expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([])
})
