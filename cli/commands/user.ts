/** desk user add, disable, password, reset-2fa */
import { z } from 'zod'
import { AccountError } from '@/lib/accounts/account-error'
import { disableMember } from '@/lib/accounts/team'
import { resetTwoFactor } from '@/lib/accounts/two-factor'
import { addUser, newUserSchema, passwordSchema, setPassword } from '@/lib/accounts/users'
import { type Command, CommandError, check, type Values } from '../command'
import { withSeller } from '../with-seller'
import { readPassword } from './seller'

const options = { seller: { type: 'string' }, email: { type: 'string' } } as const
const passwordOptions = { password: { type: 'string' }, 'password-stdin': { type: 'boolean' } } as const

const USER_DETAILS = ['--seller ID         the seller’s ID', '--email EMAIL       the user’s email address']
const PASSWORD_DETAILS = ['--password PASSWORD at least 10 characters', '--password-stdin    read the password from standard input']

type UserOptions = { sellerId: string; email: string }

const readUserOptions = (values: Values): UserOptions => ({ sellerId: values.required('seller'), email: values.required('email') })

/** Applies a change to a user. @throws {CommandError} if there is no such user */
async function changeUser({ sellerId, email }: UserOptions, change: (sellerId: string, email: string) => Promise<void>): Promise<void> {
  try {
    await withSeller(sellerId, (seller) => change(seller, email))
  } catch (error) {
    if (!(error instanceof AccountError && error.code === 'user_not_found')) throw error
    throw new CommandError(`No such user: ${email}. Check the email address and the seller ID.`)
  }
}

export const userAdd: Command = {
  name: 'user add',
  usage: '--seller ID --email EMAIL --role owner|staff|door (--password PASSWORD | --password-stdin)',
  summary:
    'Adds a user. Owners have full access, staff can view and edit records and check in guests, and door users can only check in guests.',
  details: [...USER_DETAILS, '--role ROLE         owner, staff or door', ...PASSWORD_DETAILS],
  options: { ...options, ...passwordOptions, role: { type: 'string' } },
  arguments: [0, 0],
  async run(values) {
    const sellerId = values.required('seller')
    const user = check(newUserSchema, {
      email: values.required('email'),
      role: values.required('role'),
      password: await readPassword(values),
    })
    return { output: { userId: await withSeller(sellerId, (seller) => addUser(seller, user)) } }
  },
}

export const userDisable: Command = {
  name: 'user disable',
  usage: '--seller ID --email EMAIL',
  summary:
    'Disables a user and ends their sessions. Also revokes the invitations and setup codes that they created, and the check-in devices in their own browsers.',
  details: USER_DETAILS,
  options,
  arguments: [0, 0],
  async run(values) {
    const user = readUserOptions(values)
    await changeUser(user, (sellerId, email) => disableMember(sellerId, { email }))
    return { output: { email: user.email, disabled: true } }
  },
}

export const userPassword: Command = {
  name: 'user password',
  usage: '--seller ID --email EMAIL (--password PASSWORD | --password-stdin)',
  summary: 'Sets a user’s password and ends their sessions.',
  details: [...USER_DETAILS, ...PASSWORD_DETAILS],
  options: { ...options, ...passwordOptions },
  arguments: [0, 0],
  async run(values) {
    const user = readUserOptions(values)
    const checked = check(z.object({ password: passwordSchema }), { password: await readPassword(values) })
    await changeUser(user, (sellerId, email) => setPassword(sellerId, email, checked.password))
    return { output: { email: user.email, changed: true } }
  },
}

export const userReset2fa: Command = {
  name: 'user reset-2fa',
  usage: '--seller ID --email EMAIL',
  summary:
    'Turns off a user’s two-factor authentication and ends their sessions, for example if they have lost their phone. Confirm their identity first.',
  details: USER_DETAILS,
  options,
  arguments: [0, 0],
  async run(values) {
    const user = readUserOptions(values)
    await changeUser(user, (sellerId, email) => resetTwoFactor(sellerId, { email }))
    return { output: { email: user.email, reset: true } }
  },
}
