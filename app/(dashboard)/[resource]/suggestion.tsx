/** Suggests another spelling if a table's search finds nothing. */
import type { ReactNode } from 'react'
import { Link } from '@/app/_components/link'
import { renderWhenReady } from '@/app/_components/render-when-ready'
import { linkTo } from '@/app/_components/with-params'
import { listCopy } from '@/app/copy/list'
import type { SessionUser } from '@/lib/accounts/sessions'
import { ifAvailable, runReport } from '@/lib/reports/report-throttle'

type Find = () => Promise<string | undefined>

/** Links to the same search with a different spelling of the name, if there is one. */
export const showSuggestion = ({ sellerId }: SessionUser, path: string, query: URLSearchParams, find: Find): Promise<ReactNode> =>
  renderWhenReady(
    ifAvailable(runReport(sellerId, find)),
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
