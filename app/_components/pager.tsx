/** Cursor pagination with plain links, so that pages can be shared and Back works. */
import type { ReactNode } from 'react'
import { listCopy } from '../copy/list'
import { Icon } from './icon'
import { Link } from './link'
import { linkTo, type QueryLink } from './with-params'

const PAGE_SIZES = ['20', '50', '100']

type PagerProps = {
  path: string
  query: URLSearchParams
  /** The tooltips of the links to the previous and the next page. */
  titles: { previous: string; next: string }
  /** The ID of the first row, if there is a previous page. */
  previous: string | undefined
  /** The ID of the last row, if there is a next page. */
  next: string | undefined
  /** The position of the rows in the list, such as "21–40 of 2,000". */
  position: ReactNode
  /** A summary of the matching records, such as the sum of the amounts. */
  summary?: ReactNode
}

export function Pager({ path, query, titles, previous, next, position, summary }: PagerProps) {
  const size = query.get('limit') ?? '20'
  return (
    <div className="sticky bottom-0 z-[2] -mx-1 flex flex-wrap items-center gap-x-3 gap-y-1 bg-page px-1 py-2 text-sm max-lg:static print:static">
      <span className="text-quiet tabular-nums" aria-live="polite">
        {position}
      </span>
      <span className="mr-auto tabular-nums">{summary}</span>
      {/* If the summary is long, these controls are on a second line. */}
      <nav aria-label={listCopy.pages} className="ml-auto flex items-center gap-x-3">
        <span className="hidden items-center gap-1 text-quiet sm:flex">
          <span className="max-lg:sr-only">{listCopy.perPage}</span>
          {PAGE_SIZES.map((choice) => (
            <Link
              key={choice}
              {...linkTo(path, query, { limit: choice === '20' ? undefined : choice })}
              aria-current={choice === size ? 'true' : undefined}
              className="rounded px-1.5 py-1 hover:bg-hover aria-[current]:font-medium aria-[current]:text-ink"
            >
              {choice}
            </Link>
          ))}
        </span>
        <span className="flex gap-x-3">
          <PageLink
            link={previous === undefined ? undefined : linkTo(path, query, { ending_before: previous })}
            label={listCopy.previous}
            title={titles.previous}
            icon="before"
          />
          <PageLink
            link={next === undefined ? undefined : linkTo(path, query, { starting_after: next })}
            label={listCopy.next}
            title={titles.next}
            icon="after"
          />
        </span>
      </nav>
    </div>
  )
}

type PageLinkProps = { link: QueryLink | undefined; label: string; title: string; icon: 'before' | 'after' }

/** A link to the page before or after this one; text if there is none. */
function PageLink({ link, label, title, icon }: PageLinkProps) {
  const content = (
    <>
      {icon === 'before' ? <Icon name="left" size={16} /> : null}
      {label}
      {icon === 'after' ? <Icon name="right" size={16} /> : null}
    </>
  )
  if (!link) return <span className="button pointer-events-none border-transparent bg-transparent text-quiet">{content}</span>
  return (
    <Link {...link} className="button" title={title} scroll={false}>
      {content}
    </Link>
  )
}
