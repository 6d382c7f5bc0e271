/** Formats an audit log entry as text. */
import { formatInstant } from '@/app/_components/cells'
import { auditCopy } from '@/app/copy/audit'
import { devicesCopy } from '@/app/copy/devices'
import { settingsCopy } from '@/app/copy/settings'
import { teamCopy } from '@/app/copy/team'
import { isAction, type Value } from '@/lib/accounts/audit'
import { SCOPE_LABELS } from '@/lib/accounts/scopes'
import type { AuditEntry } from '@/lib/listing/list-audit'

export function formatEntry({ email, key, action, subject }: AuditEntry): string {
  const who = email ?? (key === null ? auditCopy.operator : auditCopy.key(key))
  return isAction(action) ? auditCopy.sentences[action](who, subject) : auditCopy.other(who, action, subject)
}

const ON_OFF_LABELS = { on: 'On', off: 'Off' }

/** For members with a fixed set of values, the label of each value. */
const LABELS: Record<string, Record<string, string>> = {
  role: Object.fromEntries(Object.entries(teamCopy.roles).map(([role, { name }]) => [role, name])),
  entryPolicy: Object.fromEntries(Object.entries(settingsCopy.policies).map(([policy, { name }]) => [policy, name])),
  scopes: SCOPE_LABELS,
  offlineAdmission: ON_OFF_LABELS,
  offlineNames: ON_OFF_LABELS,
  offlineSearch: ON_OFF_LABELS,
  deviceRights: devicesCopy.rightNames,
}

function formatValue(member: string, value: Value | undefined, timeZone: string): string {
  const texts = (typeof value === 'string' ? [value] : [...(value ?? [])]).map((text) =>
    /(expires?At|pausedUntil|startsAt|endsAt|redeemBy)$/i.test(member) ? formatInstant(text, timeZone) : (LABELS[member]?.[text] ?? text),
  )
  return texts.join(', ') || auditCopy.empty
}

/** Returns a line for each changed member, such as `Role: Staff → Owner`. */
export function formatChanges({ changes }: AuditEntry, timeZone: string): string[] {
  return Object.entries(changes).map(([member, { before, after }]) => {
    const name = auditCopy.members[member] ?? member
    const newValue = formatValue(member, after, timeZone)
    return before === undefined ? auditCopy.set(name, newValue) : auditCopy.changed(name, formatValue(member, before, timeZone), newValue)
  })
}
