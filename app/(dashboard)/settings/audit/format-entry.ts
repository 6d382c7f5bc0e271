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

/** A piece of text. A name can be in any script, so the page isolates it from the direction of the text around it. */
export type TextPart = { text: string; isName: boolean; href?: string }

/** Encloses names in text. PostgreSQL cannot store this character, so no name contains it. */
const NAME_MARK = '\0'

const markName = (name: string) => `${NAME_MARK}${name}${NAME_MARK}`

/** Splits text into names and the text around them. */
const splitNames = (text: string): TextPart[] => text.split(NAME_MARK).map((part, index) => ({ text: part, isName: index % 2 === 1 }))

/**
 * Returns an entry's sentence. The last name, which is that of the entry's record, is a link.
 *
 * @param record the result of `findEntryRecord`
 */
export function formatEntry(entry: AuditEntry, record: TitledRecord | undefined): TextPart[] {
  const { email, key, action, subject, recordId } = entry
  const actor = email !== null ? markName(email) : key === null ? auditCopy.operator : auditCopy.key(markName(key))
  // All erased customers have the same name, so the link shows the ID instead.
  const name = markName(record && subject === recordId && record.title !== ERASED ? record.title : subject)
  const target = record && action.startsWith('note.') ? auditCopy.record(labels[record.resource].label.one.toLowerCase(), name) : name
  const parts = splitNames(isAction(action) ? auditCopy.sentences[action](actor, target) : auditCopy.other(actor, action, target))
  const last = parts.findLastIndex(({ isName }) => isName)
  return parts.map((part, index) => (record && index === last ? { ...part, href: `/${record.resource}/${record.id}` } : part))
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
  return texts.filter(Boolean).map(markName).join(', ') || (auditCopy.emptyMembers[member] ?? auditCopy.empty)
}

/** Returns a line for each changed member, such as `Role: Staff → Owner`. The values are marked as names. */
export function formatChanges({ changes }: AuditEntry, context: Context): { member: string; parts: TextPart[] }[] {
  return Object.entries(changes).map(([member, { before, after }]) => {
    const name = memberLabel(member)
    const newValue = formatValue(member, after, context)
    const line =
      before === undefined ? auditCopy.set(name, newValue) : auditCopy.changed(name, formatValue(member, before, context), newValue)
    return { member, parts: splitNames(line) }
  })
}
