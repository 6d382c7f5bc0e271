/** Errors thrown by changes to accounts. The code identifies the violated rule; the dashboard has its own message for each code. */

const MESSAGES = {
  user_not_found: 'No such user. Check the email address.',
  key_not_found: 'No active API key with this ID. List the keys to find it.',
  key_not_paused: 'This API key is not paused. List the keys to see their state.',
  page_not_found: 'No such product or event. List them to find its ID.',
  page_ends_first: 'The event would end before it starts. List the events to see its times.',
  last_owner: 'This is the only active owner. Make another user an owner first.',
  yourself: 'Users cannot disable themselves, change their own role or reset their own two-factor authentication. Ask another owner.',
  not_owner: 'Only active owners can change the team. Ask an owner.',
  invitation_ended: 'The invitation was already used, was revoked, or has expired. Ask for a new one.',
  device_code_ended: 'The code was already used, was revoked, or has expired. Ask for a new one.',
  too_many_devices:
    'This user has set up too many browsers as check-in devices. Ask an owner to revoke some under Settings → Check-in devices.',
  device_not_found: 'No such check-in device. List the devices to find it.',
  password_wrong: 'The current password is incorrect. Check it and try again.',
  code_wrong: 'The code is incorrect, has expired or was already used. Enter the current code.',
  two_factor_enabled: 'Two-factor authentication is already on. Reload the page.',
  two_factor_missing: 'Only owners with two-factor authentication can require it. Turn it on first.',
  time_zone_unknown:
    'The database does not know this time zone, or has a different time in it. Use UTC, or a region and a city such as Europe/Amsterdam.',
  two_factor_required: 'The shop requires two-factor authentication. Ask an owner to make it optional first.',
} as const

export type AccountErrorCode = keyof typeof MESSAGES

/** Thrown if a change violates an account rule. */
export class AccountError extends Error {
  override name = 'AccountError'

  constructor(readonly code: AccountErrorCode) {
    super(MESSAGES[code])
  }
}

/** Thrown if an attempt to verify a password or code comes too soon after repeated failures. */
export class TooManyAttemptsError extends Error {
  override name = 'TooManyAttemptsError'

  /** @param seconds the time until the next attempt is allowed, in seconds */
  constructor(readonly seconds: number) {
    super(`Too many attempts. Try again in ${seconds} seconds.`)
  }
}

/** Thrown if the seller already has a user with the email address. */
export class EmailTakenError extends Error {
  override name = 'EmailTakenError'

  constructor(readonly email: string) {
    super(`A user of this shop with the email ${email} already exists. Use a different email.`)
  }
}
