/** The 403 page, for pages that the user's role cannot access. */
import { NoticePage } from './_components/notice'
import { missingPageCopy } from './copy/missing-page'

export default function Forbidden() {
  return <NoticePage title={missingPageCopy.forbidden} hint={missingPageCopy.forbiddenHint} href="/" link={missingPageCopy.home} />
}
