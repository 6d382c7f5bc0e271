/** Why a change of the settings is refused, each with one reason that a face can put into its own words. */

const MESSAGES = {
  user_unknown: 'The seller has no such user.',
  key_unknown: 'The seller has no such key that can be used.',
  page_unknown: 'The seller has no such page.',
  last_owner: 'This is the last owner who can sign in. Make somebody else an owner first.',
  yourself: 'Nobody disables themself or changes their own role. Ask another owner.',
  not_owner: 'Only an owner who is not disabled may change the team.',
  invitation_ended: 'The invitation has expired, was used, was taken back or never was. Ask for a new one.',
  password_wrong: 'The old password is not right.',
} as const

export type Reason = keyof typeof MESSAGES

export class Refusal extends Error {
  override name = 'Refusal'

  constructor(readonly reason: Reason) {
    super(MESSAGES[reason])
  }
}

/** Too many wrong passwords of late. */
export class SlowedDown extends Error {
  override name = 'SlowedDown'

  /** @param seconds how long to wait */
  constructor(readonly seconds: number) {
    super(`Too many wrong passwords. Wait ${seconds} s.`)
  }
}
