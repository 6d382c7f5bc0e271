/** Settings page: the audit log, newest first. */
import type { Metadata } from 'next'
import { createElement, Fragment, type ReactNode } from 'react'
import { FirstPageLink } from '@/app/_components/first-page-link'
import { Link } from '@/app/_components/link'
import { Pager } from '@/app/_components/pager'
import { EmptyState, InvalidLink, SettingsSection, Timestamp } from '@/app/_components/settings-section'
import { withParams } from '@/app/_components/with-params'
import { auditCopy } from '@/app/copy/audit'
import { listCopy } from '@/app/copy/list'
import { settingsCopy } from '@/app/copy/settings'
import { loadList, type SearchParams, toQuery } from '@/app/load-list'
import { requireUser } from '@/app/session'
import { listCheckoutPages, toPageNames } from '@/lib/accounts/checkout-pages'
import { logParams } from '@/lib/catalog/list-params'
import { findTitles, type TitledRecord } from '@/lib/listing/find-titles'
import { type AuditEntry, listAudit } from '@/lib/listing/list-audit'
import { findEntryRecord, formatChanges, formatEntry, type TextPart } from './format-entry'

export const metadata: Metadata = { title: settingsCopy.areas.audit }

const PATH = '/settings/audit'

type EntryProps = {
  entry: AuditEntry
  /** The result of `findEntryRecord`. */
  record: TitledRecord | undefined
  timeZone: string
  pageNames: ReadonlyMap<string, string>
}

const LINK_CLASSES = 'text-accent underline decoration-line underline-offset-4 hover:decoration-current'

function renderPart({ text, isName, href }: TextPart): ReactNode {
  const content = isName ? <bdi>{text}</bdi> : text
  if (href === undefined) return content
  return (
    <Link href={href} className={LINK_CLASSES}>
      {content}
    </Link>
  )
}

/** Renders pieces of text. They are separate arguments of `createElement`, because the items of an array would need keys. */
const Text = ({ parts }: { parts: TextPart[] }) => createElement(Fragment, null, ...parts.map(renderPart))

function Entry({ entry, record, timeZone, pageNames }: EntryProps) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 border-line border-b px-4 py-2.5 text-sm last:border-b-0">
      <div className="min-w-0 grow basis-60 break-words">
        <p>
          <Text parts={formatEntry(entry, record)} />
        </p>
        {formatChanges(entry, { timeZone, pageNames }).map(({ member, parts }) => (
          <p key={member} className="text-quiet">
            <Text parts={parts} />
          </p>
        ))}
      </div>
      <Timestamp at={entry.at} timeZone={timeZone} />
    </li>
  )
}

export default async function AuditPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = toQuery(await searchParams)
  const { sellerId, timeZone } = await requireUser('settings', withParams(PATH, query))
  const [{ page, error }, checkoutPages] = await Promise.all([
    loadList(query, logParams, (params) => listAudit(sellerId, params)),
    listCheckoutPages(sellerId),
  ])
  const entries = page?.rows ?? []
  const records = await findTitles(
    sellerId,
    entries.flatMap(({ recordId }) => recordId ?? []),
  )
  const pageNames = toPageNames(checkoutPages)
  const [first, last] = [entries[0], entries.at(-1)]
  return (
    <SettingsSection title={settingsCopy.areas.audit} hint={auditCopy.hint}>
      {page && first && last ? (
        <>
          <ol aria-label={auditCopy.list} className="rounded-lg border border-line bg-card tabular-nums">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} record={findEntryRecord(entry, records)} timeZone={timeZone} pageNames={pageNames} />
            ))}
          </ol>
          <Pager
            path={PATH}
            query={query}
            titles={{ previous: listCopy.newer(auditCopy.what), next: listCopy.older(auditCopy.what) }}
            previous={page.hasPrevious ? String(first.id) : undefined}
            next={page.hasNext ? String(last.id) : undefined}
            position={auditCopy.shown(entries.length)}
          />
        </>
      ) : page ? (
        <EmptyState title={auditCopy.none} hint={auditCopy.noneHint}>
          <FirstPageLink path={PATH} query={query} />
        </EmptyState>
      ) : (
        <InvalidLink hint={error} href={PATH} />
      )}
    </SettingsSection>
  )
}
