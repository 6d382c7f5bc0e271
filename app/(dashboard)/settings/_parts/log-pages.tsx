/** The pagination of a log: links to newer and older entries. The cursor in the URL is an entry's ID. */
import type { ReactNode } from 'react'
import { Link } from '@/app/_components/link'
import { Step } from '@/app/_components/pager'
import { EmptyState, SettingsSection } from '@/app/_components/settings-section'
import { linkTo } from '@/app/_components/with-params'
import { listCopy } from '@/app/copy/list'
import type { EntryCursor } from '@/lib/listing/keyset'

export type LogQuery = Record<string, string | string[] | undefined>

/** Parses an entry's ID from the URL. Returns undefined if it is absent, and null if it is malformed. */
function parseEntryId(value: string | string[] | undefined): number | undefined | null {
  if (value === undefined || value === '') return undefined
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null
}

/** Parses the cursor from the URL. Returns undefined if it is malformed. */
export function parseLogCursor({ starting_after, ending_before }: LogQuery): EntryCursor | undefined {
  const [startingAfter, endingBefore] = [parseEntryId(starting_after), parseEntryId(ending_before)]
  if (startingAfter === null || endingBefore === null || (startingAfter !== undefined && endingBefore !== undefined)) return undefined
  return { startingAfter, endingBefore }
}

type NoEntriesProps = {
  /** The heading. */
  title: string
  copy: { hint: string; none: string; noneHint: string; newest: string }
  path: string
  /** Undefined if the URL is not valid. */
  cursor: EntryCursor | undefined
  /** Defaults to `copy.hint`. */
  hint?: string
  /** A link next to the heading. */
  action?: ReactNode
  /** Whether the section is a page outside the settings (`SettingsSection`). */
  isWholePage?: boolean
}

/** Shows a message instead of entries. It has a link to the newest page, unless that is the current page. */
export function NoEntries({ title, copy, path, cursor, hint = copy.hint, action, isWholePage = false }: NoEntriesProps) {
  const isNewest = cursor && cursor.startingAfter === undefined && cursor.endingBefore === undefined
  return (
    <SettingsSection title={title} hint={hint} action={action} isWholePage={isWholePage}>
      <EmptyState title={cursor ? copy.none : listCopy.badLink} hint={cursor ? copy.noneHint : listCopy.badLinkHints.page}>
        {isNewest ? null : (
          <Link className="button" href={path}>
            {copy.newest}
          </Link>
        )}
      </EmptyState>
    </SettingsSection>
  )
}

type Props = {
  path: string
  /** The page's query. The links keep its filters. */
  query?: URLSearchParams
  /** The accessible name of the navigation. */
  label: string
  /** The plural name of the entries, such as `changes`. */
  what: string
  /** The ID of the first entry on the page, if there are newer entries. */
  newer: number | undefined
  /** The ID of the last entry on the page, if there are older entries. */
  older: number | undefined
}

export function LogPages({ path, query = new URLSearchParams(), label, what, newer, older }: Props) {
  return (
    <nav aria-label={label} className="mt-3 flex justify-end gap-2 text-sm">
      <Step
        link={newer === undefined ? undefined : linkTo(path, query, { ending_before: String(newer) })}
        label={listCopy.previous}
        title={listCopy.newer(what)}
        icon="before"
      />
      <Step
        link={older === undefined ? undefined : linkTo(path, query, { starting_after: String(older) })}
        label={listCopy.next}
        title={listCopy.older(what)}
        icon="after"
      />
    </nav>
  )
}
