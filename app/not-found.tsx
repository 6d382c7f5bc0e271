/** The 404 page. */
import { NoticePage } from './_components/notice'
import { missingPageCopy } from './copy/missing-page'

export default function NotFound() {
  return <NoticePage title={missingPageCopy.notFound} hint={missingPageCopy.notFoundHint} href="/" link={missingPageCopy.home} />
}
