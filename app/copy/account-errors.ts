/** Error messages for account settings, in a separate file so that other settings pages do not load them. */
import type { AccountErrorCode } from '@/lib/accounts/account-error'

export const accountErrors = {
  user_not_found: 'This user no longer exists. Reload the page.',
  key_not_found: 'This key has expired or was revoked. Reload the page.',
  key_not_paused: 'This key is no longer paused. Reload the page.',
  page_not_found: 'This product or event no longer exists. Reload the page.',
  page_times_invalid: 'Someone else has changed the times, and the event would end before it starts. Reload the page.',
  last_owner: 'This is the only active owner. Make someone else an owner first.',
  yourself: 'You can’t disable yourself, change your own role or reset your own two-factor authentication. Ask another owner.',
  not_owner: 'You are no longer an owner. Reload the page.',
  invitation_ended: 'This invitation is no longer valid. Reload the page.',
  device_code_ended: 'This code is no longer valid. Ask for a new one.',
  too_many_devices: 'Too many of your browsers are check-in devices. Ask an owner or staff member to revoke some.',
  device_not_found: 'This device was already revoked. Reload the page.',
  password_wrong: 'Incorrect password. Check it and try again.',
  code_wrong: 'Incorrect or expired code. Enter the current one.',
  two_factor_enabled: 'Two-factor authentication is already on. Reload the page.',
  two_factor_missing: 'Turn on two-factor authentication for your own account first.',
  time_zone_unknown: 'Choose another time zone from the list, such as Europe/Amsterdam.',
  two_factor_required: 'Your shop requires two-factor authentication.',
} satisfies Record<AccountErrorCode, string>
