/** desk seller create, list */
import { text as readAll } from 'node:stream/consumers'
import { createSeller, listSellers, newSellerSchema } from '@/lib/accounts/sellers'
import { type Command, CommandError, check, type Values, withDatabase } from '../command'

/** Returns the password from --password, or from standard input with --password-stdin. @throws {CommandError} unless one option is set */
export async function readPassword(values: Values): Promise<string> {
  if (values.isOnStdin('password')) return (await readAll(process.stdin)).replace(/\r?\n$/, '')
  const password = values.text('password')
  if (password === undefined)
    throw new CommandError('Missing password. Use --password, or --password-stdin to read it from standard input.')
  return password
}

export const sellerCreate: Command = {
  name: 'seller create',
  usage: '--name NAME --email EMAIL (--password PASSWORD | --password-stdin) [--time-zone TZ]',
  summary: 'Creates a seller and its owner.',
  details: [
    '--name N            the name of the shop',
    '--email EMAIL       the owner’s email address, for signing in',
    '--password PASSWORD at least 10 characters',
    '--password-stdin    read the password from standard input, which keeps it out of the shell history',
    '--time-zone TZ      the shop’s time zone, such as Europe/Amsterdam (default: UTC)',
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
    const seller = check(newSellerSchema, {
      name: values.required('name'),
      email: values.required('email'),
      password: await readPassword(values),
      timeZone: values.text('time-zone'),
    })
    return { output: await withDatabase(() => createSeller(seller), { mayCreate: true }) }
  },
}

export const sellerList: Command = {
  name: 'seller list',
  usage: '',
  summary: 'Lists the sellers with their IDs.',
  options: {},
  arguments: [0, 0],
  run: async () => ({ output: { data: await withDatabase(listSellers) } }),
}
