/** A link from an empty or invalid page of a list to its first page. */
import { listCopy } from '../copy/list'
import { Link } from './link'

export const FirstPageLink = ({ path }: { path: string }) => (
  <Link className="button" href={path}>
    {listCopy.firstPage}
  </Link>
)
