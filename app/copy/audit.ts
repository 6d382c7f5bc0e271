/** The words of the audit log: each change as a sentence. */
import type { Action } from '@/lib/accounts/audit'

type Sentence = (who: string, what: string) => string

export const auditWords = {
  hint: 'Every change of the settings, newest first.',
  operator: 'The operator',
  list: 'Changes',
  pages: 'Pages of the log',
  none: 'Nothing on this page',
  noneHint: 'Nothing was changed here yet.',
  newest: 'Show the newest',
  empty: 'none',
  sentences: {
    'seller.created': (who, what) => `${who} created the shop ${what}`,
    'seller.changed': (who, what) => `${who} changed the shop ${what}`,
    'key.created': (who, what) => `${who} created the API key ${what}`,
    'key.rotated': (who, what) => `${who} rolled the API key ${what}`,
    'key.revoked': (who, what) => `${who} revoked the API key ${what}`,
    'page.added': (who, what) => `${who} added the page ${what}`,
    'page.changed': (who, what) => `${who} changed the page ${what}`,
    'invitation.created': (who, what) => `${who} invited ${what}`,
    'invitation.revoked': (who, what) => `${who} took back the invitation of ${what}`,
    'user.added': (who, what) => `${who} added the user ${what}`,
    'user.joined': (who) => `${who} accepted an invitation`,
    'user.role_changed': (who, what) => `${who} changed the role of ${what}`,
    'user.disabled': (who, what) => `${who} disabled ${what}`,
    'user.enabled': (who, what) => `${who} enabled ${what}`,
    'password.changed': (who) => `${who} changed their password`,
    'password.set': (who, what) => `${who} set a new password for ${what}`,
    'stripe.secret_set': (who) => `${who} set the signing secret of Stripe`,
    'stripe.events_retried': (who) => `${who} tried events of Stripe again`,
  } satisfies Record<Action, Sentence>,
  /** An action that a later version has written. */
  other: (who: string, action: string, what: string) => `${who}: ${action} ${what}`,
  members: {
    name: 'Name',
    timeZone: 'Time zone',
    entryPolicy: 'Entry',
    role: 'Role',
    scopes: 'Access',
    expiresAt: 'Ends',
    oldExpiresAt: 'Old key ends',
    events: 'Events',
  } as Readonly<Record<string, string>>,
  from: (member: string, before: string, after: string) => `${member}: ${before} → ${after}`,
  is: (member: string, after: string) => `${member}: ${after}`,
} as const
