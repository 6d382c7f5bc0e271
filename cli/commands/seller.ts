/** desk seller create */
import { text as readAll } from 'node:stream/consumers'
import { createSeller, EmailTaken, newSeller } from '@/lib/auth/sellers'
import { type Command, CommandError, check, type Values, withDatabase } from '../command'

async function passwordFrom(values: Values): Promise<string> {
  if (values.flag('password-stdin')) return (await readAll(process.stdin)).replace(/\r?\n$/, '')
  const password = values.text('password')
  if (password === undefined) throw new CommandError('Give the password with --password, or on standard input with --password-stdin.')
  return password
}

export const sellerCreate: Command = {
  name: 'seller create',
  usage: '--name N --email E (--password P | --password-stdin) [--time-zone TZ]',
  summary: 'Makes a seller and its owner, who can sign in.',
  details: [
    '--name N            what the seller is called',
    '--email E           the owner’s e-mail address, to sign in with',
    '--password P        at least 10 characters',
    '--password-stdin    read the password from standard input instead: it stays out of the shell’s history',
    '--time-zone TZ      where the doors are, such as Europe/Amsterdam; UTC if not given',
  ],
  options: {
    name: { type: 'string' },
    email: { type: 'string' },
    password: { type: 'string' },
    'password-stdin': { type: 'boolean' },
    'time-zone': { type: 'string' },
  },
  arguments: [0, 0],
  async run(values) {
    const seller = check(newSeller, {
      name: values.required('name'),
      email: values.required('email'),
      password: await passwordFrom(values),
      timeZone: values.text('time-zone'),
    })
    try {
      return { output: await withDatabase(() => createSeller(seller)) }
    } catch (error) {
      if (error instanceof EmailTaken) throw new CommandError(error.message)
      throw error
    }
  },
}
