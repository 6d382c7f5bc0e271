/** Settings page: the audit log, newest first. */
import type { Metadata } from 'next'
import { Link } from '@/app/_components/link'
import { SettingsSection, Timestamp } from '@/app/_components/settings-section'
import { auditCopy } from '@/app/copy/audit'
import { settingsCopy } from '@/app/copy/settings'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { findTitles, type TitledRecord } from '@/lib/listing/find-titles'
import { type AuditEntry, listAudit } from '@/lib/listing/list-audit'
import { LogPages, type LogQuery, NoEntries, parseLogCursor } from '../_parts/log-pages'
import { findEntryRecord, formatChanges, formatEntry } from './format-entry'

export const metadata: Metadata = { title: `${settingsCopy.areas.audit} · ${shopCopy.name}` }

const PATH = '/settings/audit'

type EntryProps = {
  entry: AuditEntry
  /** The result of `findEntryRecord`. */
  record: TitledRecord | undefined
  timeZone: string
  pageNames: ReadonlyMap<string, string>
}

function Entry({ entry, record, timeZone, pageNames }: EntryProps) {
  const { before, link, after } = formatEntry(entry, record)
  const changes = formatChanges(entry, { timeZone, pageNames })
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 border-line border-b px-4 py-2.5 text-sm last:border-b-0">
      <div className="min-w-0 grow basis-60 break-words">
        <p>
          {before}
          {link ? (
            <Link href={link.href} className="text-accent underline decoration-line underline-offset-4 hover:decoration-current">
              {link.text}
            </Link>
          ) : null}
          {after}
        </p>
        {changes.map((change) => (
          <p key={change} className="text-quiet">
            {change}
          </p>
        ))}
      </div>
      <Timestamp at={entry.at} timeZone={timeZone} />
    </li>
  )
}

export default async function AuditPage({ searchParams }: { searchParams: Promise<LogQuery> }) {
  const { sellerId, timeZone } = await requireUser('settings', PATH)
  const cursor = parseLogCursor(await searchParams)
  const [auditPage, checkoutPages] = await Promise.all([cursor && listAudit(sellerId, cursor), listCheckoutPages(sellerId)])
  const records = await findTitles(
    sellerId,
    (auditPage?.entries ?? []).flatMap(({ recordId }) => recordId ?? []),
  )
  const pageNames = toPageNames(checkoutPages)
  const [first, last] = [auditPage?.entries[0], auditPage?.entries.at(-1)]
  if (!auditPage || !first || !last) return <NoEntries title={settingsCopy.areas.audit} copy={auditCopy} path={PATH} cursor={cursor} />
  return (
    <SettingsSection title={settingsCopy.areas.audit} hint={auditCopy.hint}>
      <ol aria-label={auditCopy.list} className="rounded-lg border border-line bg-card tabular-nums">
        {auditPage.entries.map((entry) => (
          <Entry key={entry.id} entry={entry} record={findEntryRecord(entry, records)} timeZone={timeZone} pageNames={pageNames} />
        ))}
      </ol>
      <LogPages
        path={PATH}
        label={auditCopy.pages}
        what={auditCopy.what}
        newer={auditPage.hasNewer ? first.id : undefined}
        older={auditPage.hasOlder ? last.id : undefined}
      />
    </SettingsSection>
  )
}
