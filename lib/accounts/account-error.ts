/** Errors thrown by changes to accounts. The code identifies the problem; the dashboard has its own message for each code. */

const MESSAGES = {
  user_not_found: 'No such user. Check the email address.',
  key_not_found: 'No active API key has this ID. List the keys to find the ID.',
  key_not_paused: 'This API key is not paused. List the keys to see their state.',
  page_not_found: 'No product or event has this ID. List your products and events to find the ID.',
  page_times_invalid: 'The event would end before it starts. Check its start and end times.',
  last_owner: 'This is the only active owner. Make another user an owner first.',
  yourself: 'Users cannot disable themselves, change their own role or reset their own two-factor authentication. Ask another owner.',
  not_owner: 'Only active owners can change the team. Ask an owner.',
  invitation_ended: 'The invitation is not valid: it was already used or revoked, has expired, or never existed. Ask for a new one.',
  device_code_ended: 'The code is incorrect, was already used or revoked, or has expired. Check it, or ask for a new one.',
  too_many_devices:
    'This user has set up too many browsers as check-in devices. Owners and staff can revoke some under Settings → Check-in devices.',
  device_not_found: 'No active check-in device has this ID. List the devices to find the ID.',
  password_wrong: 'The current password is incorrect. Check it and try again.',
  code_wrong: 'The code is incorrect, has expired or was already used. Enter the current code.',
  two_factor_enabled: 'Two-factor authentication is already on. Reload the page.',
  two_factor_missing: 'Turn on two-factor authentication for your own account before you require it.',
  time_zone_unknown:
    'PostgreSQL does not support this time zone, or its rules for it differ from the server’s. Use UTC, or a region and a city such as Europe/Amsterdam.',
  two_factor_required:
    'Two-factor authentication cannot be turned off because the shop requires it. Ask an owner to make it optional first.',
} as const

export type AccountErrorCode = keyof typeof MESSAGES

/** Thrown if a change cannot be made. */
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
    super(`Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`)
  }
}

/** Thrown if the seller already has a user with the email address. */
export class EmailTakenError extends Error {
  override name = 'EmailTakenError'

  constructor(readonly email: string) {
    super(`This shop already has a user with the email address ${email}. Use a different one.`)
  }
}
