/** Suggests another spelling of a name if a table's search finds nothing. */
import type { ReactNode } from 'react'
import { Link } from '@/app/_components/link'
import { renderWhenReady } from '@/app/_components/render-when-ready'
import { linkTo } from '@/app/_components/with-params'
import { listCopy } from '@/app/copy/list'
import type { SessionUser } from '@/lib/accounts/sessions'
import { ifAvailable, runReport } from '@/lib/reports/report-throttle'

type FindSuggestion = () => Promise<string | undefined>

/**
 * Renders a link to the same search with another spelling, if there is one.
 *
 * @param findSuggestion returns the search with the other spelling
 */
export const renderSuggestion = (
  { sellerId }: SessionUser,
  path: string,
  query: URLSearchParams,
  findSuggestion: FindSuggestion,
): Promise<ReactNode> =>
  renderWhenReady(
    ifAvailable(runReport(sellerId, findSuggestion)),
    (search) =>
      search && (
        <>
          {listCopy.didYouMean}{' '}
          <Link {...linkTo(path, query, { search })} scroll={false} className="text-accent underline underline-offset-4">
            <em>{search}</em>
          </Link>
          ?
        </>
      ),
    null,
    query.toString(),
  )
