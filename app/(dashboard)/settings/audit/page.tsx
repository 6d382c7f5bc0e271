/** Settings page: every change to the settings, newest first. */
import { ArrowLeft, ArrowRight } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Notice } from '@/app/_components/notice'
import { auditCopy } from '@/app/copy/audit'
import { listCopy } from '@/app/copy/list'
import { settingsCopy } from '@/app/copy/settings'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { type AuditCursor, type AuditEntry, listAudit } from '@/lib/listing/list-audit'
import { SettingsSection, Timestamp } from '../_parts/settings-section'
import { formatChanges, formatEntry } from './sentence'

export const metadata: Metadata = { title: `${settingsCopy.areas.audit} · ${shopCopy.name}` }

const PATH = '/settings/audit'

type Query = Record<string, string | string[] | undefined>

/** Parses an entry's ID from the URL: undefined if absent, null if malformed. */
function parseEntryId(value: string | string[] | undefined): number | undefined | null {
  if (value === undefined || value === '') return undefined
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null
}

function parseCursor({ starting_after, ending_before }: Query): AuditCursor | undefined {
  const [startingAfter, endingBefore] = [parseEntryId(starting_after), parseEntryId(ending_before)]
  if (startingAfter === null || endingBefore === null || (startingAfter !== undefined && endingBefore !== undefined)) return undefined
  return { startingAfter, endingBefore }
}

function Newest({ title, hint }: { title: string; hint: string }) {
  return (
    <Notice title={title} hint={hint}>
      <Link className="button" href={PATH}>
        {auditCopy.newest}
      </Link>
    </Notice>
  )
}

function Step({ href, title, children }: { href: string | false; title: string; children: ReactNode }) {
  if (!href) return <span className="button border-transparent bg-transparent text-quiet">{children}</span>
  return (
    <Link className="button" href={href} title={title}>
      {children}
    </Link>
  )
}

function Entry({ entry, timeZone }: { entry: AuditEntry; timeZone: string }) {
  const changes = formatChanges(entry, timeZone)
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 border-line border-b px-4 py-2.5 text-sm last:border-b-0">
      <div className="min-w-0 grow basis-60 break-words">
        <p>{formatEntry(entry)}</p>
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

export default async function AuditPage({ searchParams }: { searchParams: Promise<Query> }) {
  const { sellerId, timeZone } = await requireUser('settings', PATH)
  const cursor = parseCursor(await searchParams)
  if (!cursor) return <Newest title={listCopy.badLink} hint={auditCopy.hint} />
  const { entries, hasNewer, hasOlder } = await listAudit(sellerId, cursor)
  const [first, last] = [entries[0], entries.at(-1)]
  if (!first || !last) return <Newest title={auditCopy.none} hint={auditCopy.noneHint} />
  return (
    <SettingsSection title={settingsCopy.areas.audit} hint={auditCopy.hint}>
      <ol aria-label={auditCopy.list} className="rounded-lg border border-line bg-card tabular-nums">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} timeZone={timeZone} />
        ))}
      </ol>
      <nav aria-label={auditCopy.pages} className="mt-3 flex justify-end gap-2 text-sm">
        <Step href={hasNewer && `${PATH}?ending_before=${first.id}`} title={listCopy.newer(auditCopy.what)}>
          <ArrowLeft aria-hidden size={16} />
          {listCopy.previous}
        </Step>
        <Step href={hasOlder && `${PATH}?starting_after=${last.id}`} title={listCopy.older(auditCopy.what)}>
          {listCopy.next}
          <ArrowRight aria-hidden size={16} />
        </Step>
      </nav>
    </SettingsSection>
  )
}
