/** An entry of the audit log in words. */
import { formatInstant } from '@/app/_components/cells'
import { auditWords } from '@/app/copy/audit'
import { settingsWords } from '@/app/copy/settings'
import { isAction, type Value } from '@/lib/accounts/audit'
import type { AuditEntry } from '@/lib/listing/list-audit'

export function sentenceOf({ email, action, subject }: AuditEntry): string {
  const who = email ?? auditWords.operator
  return isAction(action) ? auditWords.sentences[action](who, subject) : auditWords.other(who, action, subject)
}

/** What the dictionary calls a member's value. */
const NAMES: Record<string, Record<string, string>> = {
  role: Object.fromEntries(Object.entries(settingsWords.roles).map(([role, { name }]) => [role, name])),
  entryPolicy: Object.fromEntries(Object.entries(settingsWords.policies).map(([policy, { name }]) => [policy, name])),
  scopes: settingsWords.scopes,
}

function wordsOf(member: string, value: Value | undefined, timeZone: string): string {
  const texts = (typeof value === 'string' ? [value] : [...(value ?? [])]).map((text) =>
    /expires?At$/i.test(member) ? formatInstant(text, timeZone) : (NAMES[member]?.[text] ?? text),
  )
  return texts.join(', ') || auditWords.empty
}

/** Each member that was changed, as `Role: Staff → Owner`. */
export function changesOf({ changes }: AuditEntry, timeZone: string): string[] {
  return Object.entries(changes).map(([member, { before, after }]) => {
    const name = auditWords.members[member] ?? member
    const is = wordsOf(member, after, timeZone)
    return before === undefined ? auditWords.is(name, is) : auditWords.from(name, wordsOf(member, before, timeZone), is)
  })
}
