/** A link from an empty page of a list to its first page. */
import { listCopy } from '../copy/list'
import { Link } from './link'
import { hasCursor, NO_CURSOR, withParams } from './with-params'

/** Keeps the filters in `query`. Renders nothing on the first page. */
export const FirstPageLink = ({ path, query }: { path: string; query: URLSearchParams }) =>
  hasCursor(query) ? (
    <Link className="button" href={withParams(path, query, NO_CURSOR)}>
      {listCopy.firstPage}
    </Link>
  ) : null
