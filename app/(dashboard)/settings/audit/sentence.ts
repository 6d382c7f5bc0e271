/** Formats an audit log entry as text. */
import { type CellContext, formatInstant } from '@/app/_components/cells'
import { auditCopy, memberLabel } from '@/app/copy/audit'
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

type Context = Pick<CellContext, 'timeZone' | 'pageNames'>

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

function formatValue(member: string, value: Value | undefined, { timeZone, pageNames }: Context): string {
  const format = (text: string): string => {
    if (/(expires?At|pausedUntil|startsAt|endsAt|redeemBy)$/i.test(member)) return formatInstant(text, timeZone)
    if (member === 'members') return memberLabel(text)
    if (member === 'pageIds') return pageNames.get(text) ?? text
    return LABELS[member]?.[text] ?? text
  }
  const texts = (typeof value === 'string' ? [value] : [...(value ?? [])]).map(format)
  return texts.join(', ') || auditCopy.empty
}

/** Returns a line for each changed member, such as `Role: Staff → Owner`. */
export function formatChanges({ changes }: AuditEntry, context: Context): string[] {
  return Object.entries(changes).map(([member, { before, after }]) => {
    const name = memberLabel(member)
    const newValue = formatValue(member, after, context)
    return before === undefined ? auditCopy.set(name, newValue) : auditCopy.changed(name, formatValue(member, before, context), newValue)
  })
}
