/** Formats an audit log entry as text. */
import { type CellContext, formatInstant } from '@/app/_components/cells'
import { auditCopy, memberLabel } from '@/app/copy/audit'
import { devicesCopy } from '@/app/copy/devices'
import { recordCopy } from '@/app/copy/record'
import { settingsCopy } from '@/app/copy/settings'
import { teamCopy } from '@/app/copy/team'
import { webhooksCopy } from '@/app/copy/webhooks'
import { type AuditValue, isAction } from '@/lib/accounts/audit'
import { SCOPE_LABELS } from '@/lib/accounts/scopes'
import { resources } from '@/lib/catalog'
import { tickets } from '@/lib/catalog/ticket'
import type { TitledRecord } from '@/lib/listing/find-titles'
import type { AuditEntry } from '@/lib/listing/list-audit'
import { ERASED } from '@/lib/sync/erase/redact'

/** The resource that an action changes, by the action's prefix. Notes can belong to records of any resource. */
const RESOURCES: Partial<Record<string, TitledRecord['resource']>> = { coupon: 'coupons', customer: 'customers', ticket: 'tickets' }

/** Returns the record that an entry is about, or undefined if the record no longer exists or several records share the ID. */
export function findEntryRecord({ action, recordId }: AuditEntry, records: readonly TitledRecord[]): TitledRecord | undefined {
  const [kind = ''] = action.split('.')
  const resource = RESOURCES[kind]
  const found = records.filter((record) => record.id === recordId && (resource === undefined || record.resource === resource))
  return found.length === 1 ? found[0] : undefined
}

const labels = { ...resources, tickets }

/** Marks the position of the link in a sentence. PostgreSQL cannot store this character, so no name contains it. */
const PLACEHOLDER = '\0'

/** Returns the part of a sentence that refers to the record: the link and, for notes, the kind of record. */
const describeRecord = ({ action }: AuditEntry, { resource }: TitledRecord) =>
  action.startsWith('note.') ? auditCopy.record(labels[resource].label.one.toLowerCase(), PLACEHOLDER) : PLACEHOLDER

/**
 * Returns an entry's sentence: the text before and after the link to the entry's record, and the link, if there is a record.
 *
 * @param record the result of `findEntryRecord`
 */
export function formatEntry(entry: AuditEntry, record: TitledRecord | undefined) {
  const { email, key, action, subject, recordId } = entry
  const actor = email ?? (key === null ? auditCopy.operator : auditCopy.key(key))
  const target = record ? describeRecord(entry, record) : subject
  const sentence = isAction(action) ? auditCopy.sentences[action](actor, target) : auditCopy.other(actor, action, target)
  const [before = '', after = ''] = sentence.split(PLACEHOLDER)
  if (!record) return { before, after }
  // All erased customers have the same name, so the link shows the ID instead.
  const text = subject === recordId && record.title !== ERASED ? record.title : subject
  return { before, link: { text, href: `/${record.resource}/${record.id}` }, after }
}

type Context = Pick<CellContext, 'timeZone' | 'pageNames'>

const ON_OFF_LABELS = { on: 'On', off: 'Off' }
const BOOLEAN_LABELS = { true: recordCopy.yes, false: recordCopy.no }

/** The labels of values, by member. Other values are shown unchanged. */
const VALUE_LABELS: Record<string, Record<string, string>> = {
  role: Object.fromEntries(Object.entries(teamCopy.roles).map(([role, { name }]) => [role, name])),
  entryPolicy: Object.fromEntries(Object.entries(settingsCopy.policies).map(([policy, { name }]) => [policy, name])),
  scopes: SCOPE_LABELS,
  enabled: BOOLEAN_LABELS,
  deleted: BOOLEAN_LABELS,
  isShared: { yes: recordCopy.yes, no: recordCopy.no },
  offlineAdmission: ON_OFF_LABELS,
  offlineNames: ON_OFF_LABELS,
  offlineSearch: ON_OFF_LABELS,
  deviceRights: devicesCopy.rightNames,
  events: { '*': webhooksCopy.allEvents },
  reason: webhooksCopy.reasons,
}

function formatValue(member: string, value: AuditValue | undefined, { timeZone, pageNames }: Context): string {
  const format = (text: string): string => {
    if (/(expires?At|pausedUntil|startsAt|endsAt|redeemBy)$/i.test(member)) return formatInstant(text, timeZone)
    if (member === 'members') return memberLabel(text)
    if (member === 'pageIds') return pageNames.get(text) ?? text
    return VALUE_LABELS[member]?.[text] ?? text
  }
  const texts = (typeof value === 'string' ? [value] : [...(value ?? [])]).map(format)
  return texts.join(', ') || (auditCopy.emptyMembers[member] ?? auditCopy.empty)
}

/** Returns a line for each changed member, such as `Role: Staff → Owner`. */
export function formatChanges({ changes }: AuditEntry, context: Context): string[] {
  return Object.entries(changes).map(([member, { before, after }]) => {
    const name = memberLabel(member)
    const newValue = formatValue(member, after, context)
    return before === undefined ? auditCopy.set(name, newValue) : auditCopy.changed(name, formatValue(member, before, context), newValue)
  })
}
