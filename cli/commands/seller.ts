/** desk seller create, list */
import { text as readAll } from 'node:stream/consumers'
import { AccountError, EmailTakenError } from '@/lib/accounts/account-error'
import { createSeller, listSellers, newSeller } from '@/lib/accounts/sellers'
import { type Command, CommandError, check, type Values, withDatabase } from '../command'

/** @throws {CommandError} where neither way was taken */
export async function passwordFrom(values: Values): Promise<string> {
  if (values.flag('password-stdin')) return (await readAll(process.stdin)).replace(/\r?\n$/, '')
  const password = values.text('password')
  if (password === undefined) throw new CommandError('Give the password with --password, or on standard input with --password-stdin.')
  return password
}

/** An address that is taken, or a user who can't be spared, is the operator's to change. */
export async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EmailTakenError || error instanceof AccountError) throw new CommandError(error.message)
    throw error
  }
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
    return { output: await telling(() => withDatabase(() => createSeller(seller))) }
  },
}

export const sellerList: Command = {
  name: 'seller list',
  usage: '',
  summary: 'Lists the sellers with their ids.',
  options: {},
  arguments: [0, 0],
  run: async () => ({ output: { data: await withDatabase(listSellers) } }),
}
