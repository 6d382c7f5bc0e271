/** Text of the audit log: one sentence per action. */
import type { Action } from '@/lib/accounts/audit'

type Sentence = (who: string, what: string) => string

export const auditCopy = {
  hint: 'Every change to your settings, newest first.',
  operator: 'Server admin',
  list: 'Changes',
  pages: 'Pagination',
  what: 'changes',
  none: 'No changes here',
  noneHint: 'Changes to your settings appear here.',
  newest: 'Go to first page',
  empty: 'none',
  sentences: {
    'seller.created': (who, what) => `${who} created the shop ${what}`,
    'seller.changed': (who, what) => `${who} edited the shop ${what}`,
    'key.created': (who, what) => `${who} created the API key ${what}`,
    'key.rotated': (who, what) => `${who} rotated the API key ${what}`,
    'key.revoked': (who, what) => `${who} revoked the API key ${what}`,
    'key.paused': (_, what) => `The API key ${what} was paused: over 600 unknown ticket codes in an hour`,
    'key.resumed': (who, what) => `${who} resumed the API key ${what}`,
    'page.added': (who, what) => `${who} added the product or event ${what}`,
    'page.changed': (who, what) => `${who} edited the product or event ${what}`,
    'invitation.created': (who, what) => `${who} invited ${what}`,
    'invitation.revoked': (who, what) => `${who} revoked the invitation for ${what}`,
    'user.added': (who, what) => `${who} added the user ${what}`,
    'user.joined': (who) => `${who} accepted an invitation`,
    'user.role_changed': (who, what) => `${who} edited the role of ${what}`,
    'user.disabled': (who, what) => `${who} disabled ${what}`,
    'user.enabled': (who, what) => `${who} enabled ${what}`,
    'password.changed': (who) => `${who} changed their password`,
    'password.set': (who, what) => `${who} set a new password for ${what}`,
    'stripe.secret_set': (who) => `${who} set the Stripe signing secret`,
    'stripe.events_retried': (who) => `${who} retried failed Stripe events`,
  } satisfies Record<Action, Sentence>,
  /** An action written by a newer version. */
  other: (who: string, action: string, what: string) => `${who}: ${action} ${what}`,
  members: {
    name: 'Name',
    timeZone: 'Time zone',
    entryPolicy: 'Entry',
    role: 'Role',
    scopes: 'Access',
    expiresAt: 'Expires',
    oldExpiresAt: 'Old key expires',
    pausedUntil: 'Paused until',
    events: 'Events',
  } as Readonly<Record<string, string>>,
  from: (member: string, before: string, after: string) => `${member}: ${before} → ${after}`,
  is: (member: string, after: string) => `${member}: ${after}`,
} as const
