/** Cursor pagination with plain links, so that pages can be shared and Back works. */
import Link from 'next/link'
import type { ReactNode } from 'react'
import { listCopy } from '../copy/list'
import { Icon } from './icon'

const SIZES = ['20', '50', '100']

export type PagerProps = {
  path: string
  query: URLSearchParams
  /** What the list contains, in the plural, such as `payments`. */
  what: string
  /** The cursors of the adjacent pages; undefined if there is no such page. */
  newer: string | undefined
  older: string | undefined
  position: ReactNode
}

const withParams = (path: string, query: URLSearchParams, changes: Record<string, string | undefined>) => {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return text ? `${path}?${text}` : path
}

export function Pager({ path, query, what, newer, older, position }: PagerProps) {
  const size = query.get('limit') ?? '20'
  return (
    <nav aria-label={listCopy.pages} className="mt-3 flex flex-wrap items-center gap-2 text-sm">
      <span className="mr-auto text-quiet tabular-nums" aria-live="polite">
        {position}
      </span>
      <span className="hidden items-center gap-1 text-quiet sm:flex">
        {listCopy.perPage}
        {SIZES.map((choice) => (
          <Link
            key={choice}
            href={withParams(path, query, {
              limit: choice === '20' ? undefined : choice,
              starting_after: undefined,
              ending_before: undefined,
            })}
            aria-current={choice === size ? 'true' : undefined}
            className="rounded px-1.5 py-1 hover:bg-hover aria-[current]:font-medium aria-[current]:text-ink"
          >
            {choice}
          </Link>
        ))}
      </span>
      <Step
        href={newer && withParams(path, query, { ending_before: newer, starting_after: undefined })}
        label={listCopy.previous}
        title={listCopy.newer(what)}
        icon="before"
      />
      <Step
        href={older && withParams(path, query, { starting_after: older, ending_before: undefined })}
        label={listCopy.next}
        title={listCopy.older(what)}
        icon="after"
      />
    </nav>
  )
}

function Step({ href, label, title, icon }: { href: string | undefined; label: string; title: string; icon: 'before' | 'after' }) {
  const content = (
    <>
      {icon === 'before' ? <Icon name="left" size={16} /> : null}
      {label}
      {icon === 'after' ? <Icon name="right" size={16} /> : null}
    </>
  )
  if (!href) return <span className="button pointer-events-none border-transparent bg-transparent text-quiet">{content}</span>
  return (
    <Link className="button" href={href} title={title} scroll={false}>
      {content}
    </Link>
  )
}
